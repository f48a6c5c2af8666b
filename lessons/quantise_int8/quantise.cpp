// A matrix of numbers as bytes: the lesson's input, and what its pictures compare.
#include <algorithm>
#include <utility>

#include "base/parallel_for.h"
#include "quantise_int8/quantise_int8.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

/// The smallest and the largest of these numbers and 0.
std::pair<float, float> range_of(std::span<const float> numbers) {
    const auto [smallest, largest] = std::ranges::minmax(numbers);
    return {std::min(smallest, 0.0F), std::max(largest, 0.0F)};
}

}  // namespace

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
                                   [&](float number) { return tensor::byte_of(number, places); });
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
