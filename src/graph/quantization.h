// Quantisation of numbers to bytes, bit for bit as in shaders/quantise_int8/rounding.glsl.
#pragma once

#include <cstdint>
#include <span>

#include "base/array.h"
#include "graph/operations.h"

namespace gridstride::tensor {

enum class Scheme {
    asymmetric,  ///< asymmetric: 256 levels from the smallest number to the largest, 0 among them
    symmetric,   ///< 255 levels, as many below 0 as above
    per_row,     ///< symmetric, with a scale for each row
};

/// Quantization parameters: a byte q represents (q - zero_point) * scale.
struct QuantizationParams {
    float scale = 1;
    std::int32_t zero_point = 0;

    double dequantize(std::int8_t q) const { return double{scale} * (q - zero_point); }
};
/// Returns the parameters for numbers of this range, which must contain 0.
QuantizationParams choose_quantization_params(Scheme scheme, float min_value, float max_value);
/// Returns the nearest byte. A number halfway between two is rounded to the even multiple of the scale.
std::int8_t quantize_to_byte(float number, const QuantizationParams& params);

/// A matrix of f32 and its bytes, whose rows begin at multiples of padded(columns), with zeros between them.
struct ByteMatrix {
    ArrayRef numbers, bytes, scales;  ///< f32, i8, f32; one scale for all rows or one per row
    ArrayRef zero_points;             ///< i32, as many as scales; null if all are 0
    std::uint64_t columns;

    struct Row {
        std::span<const float> numbers;
        std::span<const std::int8_t> bytes;
        QuantizationParams params;
    };
    Row row(std::uint64_t row) const;
    std::uint64_t rows() const { return numbers->count() / columns; }
};
/// Quantises finite numbers, on all cores.
ByteMatrix quantize_matrix(ArrayRef numbers, std::uint64_t columns, Scheme scheme);
/// Returns the root mean square of the rounding errors divided by that of the numbers.
double relative_error(const ByteMatrix& matrix);

// Quantisation of numbers with error bounds. A byte is exact if its number rounds to the same byte within its
// bounds; otherwise its error is the number of levels that the bounds reach, seldom more than one. For an
// infinite number or NaN, the byte and its error are NaN.

struct BoundedQuantizationParams {
    Bounded scale, zero_point;
};
BoundedQuantizationParams choose_quantization_params(Scheme scheme, const Bounded& min_value,
                                                     const Bounded& max_value);
Bounded quantize_to_byte(const Bounded& number, const Bounded& scale, const Bounded& zero_point);

}  // namespace gridstride::tensor
