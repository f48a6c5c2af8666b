#include "graph/quantization.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "graph/shape.h"
#include "launch/extent.h"

namespace gridstride::tensor {

namespace {

constexpr double min_byte = -128, max_byte = 127;

// Larger than the smallest normal f32, so that the scale of a row of zeros is not 0 and not subnormal.
constexpr float min_scale = 0x1p-100F;

// Slightly more than 1/255 and 1/127, so that despite rounding the range is shorter than 255 or 127 times the
// scale, and neither of its ends is rounded to a level beyond the last.
constexpr float inverse_of_255 = 0x1.01010ap-8F, inverse_of_127 = 0x1.020412p-7F;

/// Returns the scale, rounded up to 15 bits. Its product with an integer of 9 bits is then exact in f32.
float scale_for(Scheme scheme, float min_value, float max_value) {
    const float scale = scheme == Scheme::asymmetric ? (max_value - min_value) * inverse_of_255
                                                     : std::max(-min_value, max_value) * inverse_of_127;
    const auto bits = std::bit_cast<std::uint32_t>(std::max(scale, min_scale));
    return std::bit_cast<float>((bits + 0x1FF) & ~0x1FFU);
}

bool is_finite(const Bounded& x) {
    return std::isfinite(x.value) && !x.may_be_nan;
}

/// Divides and rounds to an integer, halves to even. The f64 quotient of two numbers of 24 bits is never
/// rounded to a half: a quotient that is not exactly a half differs from it by more than its rounding error.
double round_quotient(double number, double scale) {
    return std::nearbyint(number / scale);
}

}  // namespace

QuantizationParams choose_quantization_params(Scheme scheme, float min_value, float max_value) {
    const float scale = scale_for(scheme, min_value, max_value);
    if (scheme != Scheme::asymmetric) return {scale, 0};
    return {scale, static_cast<std::int32_t>(min_byte - round_quotient(min_value, scale))};
}

std::int8_t quantize_to_byte(float number, const QuantizationParams& params) {
    return static_cast<std::int8_t>(round_quotient(number, params.scale) + params.zero_point);
}

ByteMatrix::Row ByteMatrix::row(std::uint64_t row) const {
    const std::uint64_t own = scales->count() > 1 ? row : 0;
    return {numbers->as<float>().subspan(row * columns, columns),
            bytes->as<std::int8_t>().subspan(row * padded(columns), columns),
            {scales->as<float>()[own], zero_points ? zero_points->as<std::int32_t>()[own] : 0}};
}

ByteMatrix quantize_matrix(ArrayRef numbers, std::uint64_t columns, Scheme scheme) {
    const std::uint64_t rows = numbers->count() / columns, pitch = padded(columns);
    const auto row_at = [&, all = numbers->as<float>()](std::uint64_t row) {
        return all.subspan(row * columns, columns);
    };
    std::vector<std::pair<float, float>> ranges(rows);
    parallel_for_each(rows, columns, [&](std::size_t row) {
        const auto [smallest, largest] = std::ranges::minmax(row_at(row));
        ranges[row] = {std::min(smallest, 0.0F), std::max(largest, 0.0F)};
    });
    if (scheme != Scheme::per_row) {
        for (const auto& [smallest, largest] : ranges)
            ranges.front() = {std::min(ranges.front().first, smallest),
                              std::max(ranges.front().second, largest)};
        ranges.resize(1);
    }
    std::vector<QuantizationParams> params;
    for (const auto& [smallest, largest] : ranges)
        params.push_back(choose_quantization_params(scheme, smallest, largest));
    Array bytes(ElementType::i8, rows * pitch), scales(ElementType::f32, params.size()),
        zero_points(ElementType::i32, params.size());
    std::ranges::transform(params, scales.as<float>().begin(), &QuantizationParams::scale);
    std::ranges::transform(params, zero_points.as<std::int32_t>().begin(), &QuantizationParams::zero_point);
    parallel_for_each(rows, columns, [&](std::size_t row) {
        const QuantizationParams& row_params = params[params.size() > 1 ? row : 0];
        const auto out = bytes.as<std::int8_t>().subspan(row * pitch, pitch);
        std::ranges::fill(out.subspan(columns), std::int8_t{0});
        std::ranges::transform(row_at(row), out.begin(),
                               [&](float number) { return quantize_to_byte(number, row_params); });
    });
    return {std::move(numbers), share(std::move(bytes)), share(std::move(scales)),
            share(std::move(zero_points)), columns};
}

double relative_error(const ByteMatrix& matrix) {
    double squared_errors = 0, squared_numbers = 0;
    for (std::uint64_t i = 0; i < matrix.rows(); ++i) {
        const auto [numbers, bytes, params] = matrix.row(i);
        for (std::size_t column = 0; column < numbers.size(); ++column) {
            const double number = numbers[column], error = params.dequantize(bytes[column]) - number;
            squared_errors += error * error;
            squared_numbers += number * number;
        }
    }
    return squared_numbers > 0 ? std::sqrt(squared_errors / squared_numbers) : 0;
}

BoundedQuantizationParams choose_quantization_params(Scheme scheme, const Bounded& min_value,
                                                     const Bounded& max_value) {
    if (!is_finite(min_value) || !is_finite(max_value)) return {{NAN, NAN}, {NAN, NAN}};
    // errors = 1 widens the range by its error bounds, -1 narrows it.
    const auto start = [&](double errors) {
        return std::min(min_value.value - errors * min_value.error, 0.0);
    };
    const auto scale = [&](double errors) {
        return double{
            scale_for(scheme, static_cast<float>(start(errors)),
                      static_cast<float>(std::max(max_value.value + errors * max_value.error, 0.0)))};
    };
    const double nominal_scale = scale(0), smaller_scale = scale(-1), larger_scale = scale(1);
    BoundedQuantizationParams params{
        {nominal_scale, std::max(larger_scale - nominal_scale, nominal_scale - smaller_scale)}, {0, 0}};
    if (scheme != Scheme::asymmetric) return params;
    const auto zero_point = [&](double from, double by) {
        return std::clamp(min_byte - round_quotient(from, by), min_byte, max_byte);
    };
    const double zero = zero_point(start(0), nominal_scale);
    params.zero_point = {zero, std::max(zero_point(start(1), smaller_scale) - zero,
                                        zero - zero_point(start(-1), larger_scale))};
    return params;
}

Bounded quantize_to_byte(const Bounded& number, const Bounded& scale, const Bounded& zero_point) {
    const double q = round_quotient(number.value, scale.value);
    if (!std::isfinite(q) || !is_finite(number) || !is_finite(zero_point)) return {NAN, NAN};
    // The smallest scale gives the largest magnitude of q, the largest scale the smallest.
    const double smaller_scale = std::max(scale.value - scale.error, double{min_scale}),
                 larger_scale = scale.value + scale.error, low = number.value - number.error,
                 high = number.value + number.error;
    const double error = std::max(round_quotient(high, high < 0 ? larger_scale : smaller_scale) - q,
                                  q - round_quotient(low, low < 0 ? smaller_scale : larger_scale)) +
                         zero_point.error;
    constexpr double max_difference = max_byte - min_byte;
    return {std::clamp(q + zero_point.value, min_byte, max_byte),
            error < max_difference ? error : max_difference};
}

}  // namespace gridstride::tensor
