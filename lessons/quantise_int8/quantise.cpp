// How numbers become bytes, as shaders/quantise_int8/rounding.glsl has it, to the last bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/parallel_for.h"
#include "quantise_int8/quantise_int8.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

/// More than the smallest normal f32, so that a row of zeros has a step, too.
constexpr float smallest_step = 0x1p-100F;

/// A little more than the inverse of the count of steps that cover a range, so that it is less than so many
/// steps long though range and product are rounded. Then no end of it is rounded to a place beyond the last.
constexpr float inverse_of_255 = 0x1.01010ap-8F, inverse_of_127 = 0x1.020412p-7F;

/// Rounded up to 15 bits: a whole number of 9 bits times it is an f32 then, and so is each place.
float step_for(float range, float inverse) {
    const auto bits = std::bit_cast<std::uint32_t>(std::max(range * inverse, smallest_step));
    return std::bit_cast<float>((bits + 0x1FF) & ~0x1FFU);
}

/// Steps from 0, rounded; a half to the even one. Two numbers of 24 bits whose quotient is no half have one
/// that differs from it by more than f64 rounds.
std::int32_t nearest(float number, float step) {
    return static_cast<std::int32_t>(std::nearbyint(double{number} / step));
}

/// The smallest and the largest of these numbers and 0.
std::pair<float, float> range_of(std::span<const float> numbers) {
    const auto [smallest, largest] = std::ranges::minmax(numbers);
    return {std::min(smallest, 0.0F), std::max(largest, 0.0F)};
}

}  // namespace

Places places_for(Scheme scheme, float smallest, float largest) {
    if (scheme != Scheme::one_step_and_zero)
        return {step_for(std::max(-smallest, largest), inverse_of_127), 0};
    const float step = step_for(largest - smallest, inverse_of_255);
    return {step, -128 - nearest(smallest, step)};
}

std::int8_t byte_of(float number, const Places& places) {
    return static_cast<std::int8_t>(nearest(number, places.step) + places.zero_point);
}

Quantised quantise(const Array& numbers, std::uint64_t columns, Scheme scheme) {
    const auto all = numbers.as<float>();
    const std::uint64_t rows = all.size() / columns, pitch = padded(columns);
    const auto row_at = [&](std::uint64_t row) { return all.subspan(row * columns, columns); };
    const std::size_t block = divide_up(std::uint64_t{1} << 14, columns);
    std::vector<std::pair<float, float>> ranges(rows);
    parallel_for(rows, block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            ranges[row] = range_of(row_at(row));
    });
    if (scheme != Scheme::by_row) {
        for (const auto& [smallest, largest] : ranges)
            ranges.front() = {std::min(ranges.front().first, smallest),
                              std::max(ranges.front().second, largest)};
        ranges.resize(1);
    }
    Array bytes(ElementType::i8, rows * pitch), steps(ElementType::f32, ranges.size()),
        zero_points(ElementType::i32, ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const Places places = places_for(scheme, ranges[i].first, ranges[i].second);
        steps.as<float>()[i] = places.step;
        zero_points.as<std::int32_t>()[i] = places.zero_point;
    }
    parallel_for(rows, block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t own = scheme == Scheme::by_row ? row : 0;
            const Places places{steps.as<float>()[own], zero_points.as<std::int32_t>()[own]};
            const auto out = bytes.as<std::int8_t>().subspan(row * pitch, pitch);
            std::ranges::fill(out.subspan(columns), std::int8_t{0});
            std::ranges::transform(row_at(row), out.begin(),
                                   [&](float number) { return byte_of(number, places); });
        }
    });
    return {share(std::move(bytes)), share(std::move(steps)), share(std::move(zero_points))};
}

Places places_of_row(const Input& input, std::uint64_t row) {
    const auto steps = get(input, "steps").as<float>();
    const std::uint64_t own = steps.size() > 1 ? row : 0;
    return {steps[own], get(input, "zero_points").as<std::int32_t>()[own]};
}

}  // namespace gridstride::lessons::quantise_int8
