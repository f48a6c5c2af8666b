// How numbers become bytes, as shaders/quantise_int8/rounding.glsl has it, to the last bit.
#pragma once

#include <cstdint>
#include <span>

#include "base/array.h"
#include "tensor/operations.h"

namespace gridstride::tensor {

enum class Scheme {
    one_step_and_zero,  ///< 256 places from the smallest number to the largest, 0 among them
    symmetric,          ///< 255 places, as many below 0 as above
    by_row,             ///< the same, with a step for each row
};

/// A byte q stands for (q - zero_point) * step.
struct Places {
    float step = 1;
    std::int32_t zero_point = 0;

    double number_at(std::int8_t q) const { return double{step} * (q - zero_point); }
};
/// For numbers of this range; 0 is always among them.
Places places_for(Scheme scheme, float smallest, float largest);
/// The nearest place's byte; from the middle between two the one that is an even number of steps from 0.
std::int8_t byte_of(float number, const Places& places);

/// A matrix of f32 and the same as bytes, whose rows begin at multiples of padded(columns), with 0 between
/// them.
struct ByteMatrix {
    ArrayRef numbers, bytes, steps;  ///< f32, i8, f32: steps are one for all or one for each row
    ArrayRef zero_points;            ///< i32, as many; null: all are 0
    std::uint64_t columns;

    struct Row {
        std::span<const float> numbers;
        std::span<const std::int8_t> bytes;
        Places places;
    };
    Row row(std::uint64_t row) const;
    std::uint64_t rows() const { return numbers->count() / columns; }
};
/// Of finite numbers, on all cores.
ByteMatrix bytes_of(ArrayRef numbers, std::uint64_t columns, Scheme scheme);
/// The root mean square of what rounding does to the numbers, over that of the numbers.
double relative_error(const ByteMatrix& matrix);

// The same of numbers that are known within bounds. A byte whose number lies between the same two middles
// however far off it may be has no error; another one may be off by as many places as the bounds reach, which
// is seldom more than one. What is infinite or no number has no place: its byte, and the error, are NaN.

struct BoundedPlaces {
    Bounded step, zero_point;
};
BoundedPlaces places_for(Scheme scheme, const Bounded& smallest, const Bounded& largest);
Bounded byte_of(const Bounded& number, const Bounded& step, const Bounded& zero_point);

}  // namespace gridstride::tensor
