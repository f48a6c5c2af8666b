#include "hidden_layer/input.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"

namespace gridstride::lessons::hidden_layer {

namespace {

constexpr std::uint32_t greyscale_stream = 0;
constexpr std::uint32_t weight_stream = 1;
constexpr double mean_weight = 0.5;
constexpr double weight_deviation = 0.1;
constexpr double largest_greyscale = 1e30;

Input named(Array greyscales, std::uint32_t width, const Values& values) {
    Array weights(ElementType::f32, greyscales.count());
    fill_normal_f32(weights.as<float>(), values[key::seed], weight_stream, mean_weight, weight_deviation);
    return {{"greyscales", std::make_shared<const Array>(std::move(greyscales)), width},
            {"weights", std::make_shared<const Array>(std::move(weights))}};
}

}  // namespace

Input input(const Values& values) {
    Array greyscales(ElementType::f32, values[key::elements]);
    const auto out = greyscales.as<float>();
    fill_uniform_f32(out, values[key::seed], greyscale_stream);
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = std::floor(255.0f * out[i]);
    });
    return named(std::move(greyscales), 0, values);
}

Input input_from_user(const UserData& data, const Values& values) {
    const Array& given = *data.numbers;
    Array greyscales(ElementType::f32, given.count());
    const auto out = greyscales.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = given.number(i);
        if (!(std::abs(value) <= largest_greyscale))
            throw Refusal(fmt::format(
                "Row {}: {} cannot be a grey level. Those are finite, usually 0 to 255, and at most "
                "{:g} here. Remove or replace it.",
                format_count(i + 1), value, largest_greyscale));
        out[i] = static_cast<float>(value);
    }
    return named(std::move(greyscales), data.width, values);
}

}  // namespace gridstride::lessons::hidden_layer
