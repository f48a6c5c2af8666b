#include "reduction/input.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/units.h"

namespace gridstride::lessons::reduction {

namespace {

constexpr double largest_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr double largest_f32 = std::numeric_limits<float>::max();

Input named(Array numbers) {
    return {{"numbers", std::make_shared<const Array>(std::move(numbers))}};
}

Array whole_numbers(const Array& given) {
    Array numbers(ElementType::u32, given.count());
    const auto out = numbers.as<std::uint32_t>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = given.number(i);
        if (!(value >= 0 && value <= largest_u32 && value == std::floor(value)))
            throw Refusal(
                fmt::format("Row {}: {} is not a whole number from 0 to 4294967295, which u32 needs. {}",
                            format_count(i + 1), value,
                            std::isfinite(value) ? "Choose element_type = f32 for numbers such as this one."
                                                 : "Remove or replace it."));
        out[i] = static_cast<std::uint32_t>(value);
    }
    return numbers;
}

Array real_numbers(const Array& given) {
    Array numbers(ElementType::f32, given.count());
    const auto out = numbers.as<float>();
    double magnitude = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = given.number(i);
        out[i] = static_cast<float>(value);
        if (!std::isfinite(out[i]))
            throw Refusal(
                fmt::format("Row {}: {} is not a finite number as f32, whose largest is {:.6g}. Remove or "
                            "replace it.",
                            format_count(i + 1), value, largest_f32));
        magnitude += std::abs(value);
    }
    // Below this, no sum of some of the numbers overflows, whatever the order.
    if (magnitude > largest_f32)
        throw Refusal(fmt::format(
            "The magnitudes of the numbers add up to {:.6g}, more than the largest f32, {:.6g}: a "
            "sum could overflow on the way. Scale the numbers down.",
            magnitude, largest_f32));
    return numbers;
}

}  // namespace

Input input(const Values& values) {
    Array numbers(storage(values), values[key::elements]);
    if (numbers.type() == ElementType::u32) {
        const auto out = numbers.as<std::uint32_t>();
        const bool counts_up = out.size() <= most_that_count_up;
        if (!counts_up) fill_random_u32(out, values[key::seed], 0);
        parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                out[i] = counts_up ? static_cast<std::uint32_t>(i + 1) : out[i] >> 30U;
        });
    } else {
        fill_uniform_f32(numbers.as<float>(), values[key::seed], 0);
    }
    return named(std::move(numbers));
}

Input input_from_user(const UserData& data, const Values& values) {
    const Array& numbers = *data.numbers;
    return named(storage(values) == ElementType::u32 ? whole_numbers(numbers) : real_numbers(numbers));
}

}  // namespace gridstride::lessons::reduction
