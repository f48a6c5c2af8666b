#include "zero_suppression/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"

namespace gridstride::lessons::zero_suppression {

namespace {

constexpr double radians_of_all = 23;  // between three and four turns: four pulses
constexpr double pulse_cut = 0.3;
constexpr double pulse_height = 300;
constexpr double noise_sd = 3;
constexpr std::uint32_t noise_stream = 0;

constexpr double lowest = std::numeric_limits<std::int16_t>::min();
constexpr double highest = std::numeric_limits<std::int16_t>::max();

Input named(ArrayRef samples) {
    return {{"samples", std::move(samples)}};
}

double pulse(std::size_t i, std::size_t n) {
    const double angle = static_cast<double>(i) / (static_cast<double>(n) / radians_of_all);
    return std::max(strict_sin(angle) - pulse_cut, 0.0) * pulse_height;
}

double noise(std::uint32_t word) {
    return noise_sd * normal_quantile((static_cast<double>(word) + 0.5) * 0x1p-32);
}

}  // namespace

Input input(const Values& values) {
    const std::size_t n = values[key::elements];
    const std::uint64_t seed = values[key::seed];
    const std::array<std::uint32_t, 2> philox_key = {static_cast<std::uint32_t>(seed),
                                                     static_cast<std::uint32_t>(seed >> 32)};
    auto samples = std::make_shared<Array>(ElementType::i16, n);
    const auto out = samples->as<std::int16_t>();
    // Not by fill_normal_f32: at 2^28 samples its floats would take twice the memory of all samples.
    parallel_for((n + 3) / 4, std::size_t{1} << 10, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const auto words =
                philox4x32({static_cast<std::uint32_t>(block),
                            static_cast<std::uint32_t>(std::uint64_t{block} >> 32), noise_stream, 0},
                           philox_key);
            for (std::size_t i = 4 * block; i < std::min(4 * block + 4, n); ++i)
                out[i] = static_cast<std::int16_t>(pulse(i, n) + noise(words[i % 4]));
        }
    });
    return named(std::move(samples));
}

Input input_from_user(const UserData& data, const Values&) {
    const Array& given = *data.numbers;
    if (given.type() == ElementType::i16) return named(data.numbers);
    auto samples = std::make_shared<Array>(ElementType::i16, given.count());
    const auto out = samples->as<std::int16_t>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = given.number(i);
        if (!(value >= lowest && value <= highest && value == std::floor(value)))
            throw Refusal(
                fmt::format("Row {}: {} is not a whole number from -32768 to 32767, as samples of 16 bits "
                            "are. Scale and round the numbers first.",
                            format_count(i + 1), value));
        out[i] = static_cast<std::int16_t>(value);
    }
    return named(std::move(samples));
}

}  // namespace gridstride::lessons::zero_suppression
