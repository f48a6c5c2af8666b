#include "hidden_layer/reference.h"

#include <cmath>
#include <limits>

#include "base/parallel_for.h"

namespace gridstride::lessons::hidden_layer {

double activation(double greyscale, double weight, double gain) {
    const double normalised = greyscale / 255;
    const double weighed = normalised * weight;
    return std::tanh(gain * weighed);  // (e^v - e^-v) / (e^v + e^-v)
}

std::vector<Expected> reference(const Input& input, const Values& values, const Plan&) {
    const auto greyscales = get(input, "greyscales").as<float>();
    const auto weights = get(input, "weights").as<float>();
    const double gain = gain_f32(values);
    Array activations(ElementType::f32, greyscales.size());
    const auto out = activations.as<float>();
    parallel_for(out.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = static_cast<float>(activation(greyscales[i], weights[i], gain));
    });
    return {
        {"activations", std::make_shared<const Array>(std::move(activations)), tolerance(values), nullptr}};
}

Tolerance tolerance(const Values& values) {
    const double smallest_normal = std::numeric_limits<float>::min();
    return {smallest_normal * (3 + 3 * double{gain_f32(values)}), 11 * 0x1p-23};
}

}  // namespace gridstride::lessons::hidden_layer
