#include "tensor/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "launch/extent.h"
#include "tensor/shape.h"

namespace gridstride::tensor {

namespace {

constexpr double lowest_byte = -128, highest_byte = 127;

// Larger than the smallest normal f32, so that the scale of a row of zeros is not 0 and not subnormal.
constexpr float smallest_step = 0x1p-100F;

// Slightly more than 1/255 and 1/127, so that despite rounding the range is shorter than 255 or 127 times the
// scale, and neither of its ends is rounded to a level beyond the last.
constexpr float inverse_of_255 = 0x1.01010ap-8F, inverse_of_127 = 0x1.020412p-7F;

/// Returns the scale, rounded up to 15 bits. Its product with an integer of 9 bits is then exact in f32.
float step_for(Scheme scheme, float smallest, float largest) {
    const float step = scheme == Scheme::one_step_and_zero ? (largest - smallest) * inverse_of_255
                                                           : std::max(-smallest, largest) * inverse_of_127;
    const auto bits = std::bit_cast<std::uint32_t>(std::max(step, smallest_step));
    return std::bit_cast<float>((bits + 0x1FF) & ~0x1FFU);
}

bool is_finite(const Bounded& x) {
    return std::isfinite(x.value) && !x.or_nan;
}

/// Divides and rounds to an integer, halves to even. The f64 quotient of two numbers of 24 bits is never
/// rounded to a half: a quotient that is not exactly a half differs from it by more than its rounding error.
double nearest(double number, double step) {
    return std::nearbyint(number / step);
}

}  // namespace

Places places_for(Scheme scheme, float smallest, float largest) {
    const float step = step_for(scheme, smallest, largest);
    if (scheme != Scheme::one_step_and_zero) return {step, 0};
    return {step, static_cast<std::int32_t>(lowest_byte - nearest(smallest, step))};
}

std::int8_t byte_of(float number, const Places& places) {
    return static_cast<std::int8_t>(nearest(number, places.step) + places.zero_point);
}

ByteMatrix::Row ByteMatrix::row(std::uint64_t row) const {
    const std::uint64_t own = steps->count() > 1 ? row : 0;
    return {numbers->as<float>().subspan(row * columns, columns),
            bytes->as<std::int8_t>().subspan(row * padded(columns), columns),
            {steps->as<float>()[own], zero_points ? zero_points->as<std::int32_t>()[own] : 0}};
}

ByteMatrix bytes_of(ArrayRef numbers, std::uint64_t columns, Scheme scheme) {
    const std::uint64_t rows = numbers->count() / columns, pitch = padded(columns);
    const auto row_at = [&, all = numbers->as<float>()](std::uint64_t row) {
        return all.subspan(row * columns, columns);
    };
    std::vector<std::pair<float, float>> ranges(rows);
    parallel_for_each(rows, columns, [&](std::size_t row) {
        const auto [smallest, largest] = std::ranges::minmax(row_at(row));
        ranges[row] = {std::min(smallest, 0.0F), std::max(largest, 0.0F)};
    });
    if (scheme != Scheme::by_row) {
        for (const auto& [smallest, largest] : ranges)
            ranges.front() = {std::min(ranges.front().first, smallest),
                              std::max(ranges.front().second, largest)};
        ranges.resize(1);
    }
    std::vector<Places> places;
    for (const auto& [smallest, largest] : ranges)
        places.push_back(places_for(scheme, smallest, largest));
    Array bytes(ElementType::i8, rows * pitch), steps(ElementType::f32, places.size()),
        zero_points(ElementType::i32, places.size());
    std::ranges::transform(places, steps.as<float>().begin(), &Places::step);
    std::ranges::transform(places, zero_points.as<std::int32_t>().begin(), &Places::zero_point);
    parallel_for_each(rows, columns, [&](std::size_t row) {
        const Places& of_row = places[places.size() > 1 ? row : 0];
        const auto out = bytes.as<std::int8_t>().subspan(row * pitch, pitch);
        std::ranges::fill(out.subspan(columns), std::int8_t{0});
        std::ranges::transform(row_at(row), out.begin(),
                               [&](float number) { return byte_of(number, of_row); });
    });
    return {std::move(numbers), share(std::move(bytes)), share(std::move(steps)),
            share(std::move(zero_points)), columns};
}

double relative_error(const ByteMatrix& matrix) {
    double of_errors = 0, of_numbers = 0;
    for (std::uint64_t i = 0; i < matrix.rows(); ++i) {
        const auto [numbers, bytes, places] = matrix.row(i);
        for (std::size_t column = 0; column < numbers.size(); ++column) {
            const double number = numbers[column], error = places.number_at(bytes[column]) - number;
            of_errors += error * error;
            of_numbers += number * number;
        }
    }
    return of_numbers > 0 ? std::sqrt(of_errors / of_numbers) : 0;
}

BoundedPlaces places_for(Scheme scheme, const Bounded& smallest, const Bounded& largest) {
    if (!is_finite(smallest) || !is_finite(largest)) return {{NAN, NAN}, {NAN, NAN}};
    // errors = 1 widens the range by its error bounds, -1 narrows it.
    const auto start = [&](double errors) { return std::min(smallest.value - errors * smallest.error, 0.0); };
    const auto step = [&](double errors) {
        return double{step_for(scheme, static_cast<float>(start(errors)),
                               static_cast<float>(std::max(largest.value + errors * largest.error, 0.0)))};
    };
    const double likely = step(0), least = step(-1), most = step(1);
    BoundedPlaces places{{likely, std::max(most - likely, likely - least)}, {0, 0}};
    if (scheme != Scheme::one_step_and_zero) return places;
    const auto zero_point = [&](double from, double by) {
        return std::clamp(lowest_byte - nearest(from, by), lowest_byte, highest_byte);
    };
    const double zero = zero_point(start(0), likely);
    places.zero_point = {zero,
                         std::max(zero_point(start(1), least) - zero, zero - zero_point(start(-1), most))};
    return places;
}

Bounded byte_of(const Bounded& number, const Bounded& step, const Bounded& zero_point) {
    const double q = nearest(number.value, step.value);
    if (!std::isfinite(q) || !is_finite(number) || !is_finite(zero_point)) return {NAN, NAN};
    // The smallest scale gives the largest magnitude of q, the largest scale the smallest.
    const double least = std::max(step.value - step.error, double{smallest_step}),
                 most = step.value + step.error, low = number.value - number.error,
                 high = number.value + number.error;
    const double error =
        std::max(nearest(high, high < 0 ? most : least) - q, q - nearest(low, low < 0 ? least : most)) +
        zero_point.error;
    constexpr double furthest = highest_byte - lowest_byte;
    return {std::clamp(q + zero_point.value, lowest_byte, highest_byte), error < furthest ? error : furthest};
}

}  // namespace gridstride::tensor
