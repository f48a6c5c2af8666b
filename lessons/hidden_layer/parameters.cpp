#include "hidden_layer/parameters.h"

#include <limits>
#include <string>

namespace gridstride::lessons::hidden_layer {

namespace {

// 1 GiB for each of the three arrays.
constexpr double most_elements = 1u << 28;

}  // namespace

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(1'000'000, 256);
    all.front().help = "How many pixels the layer has: one grey level, one weight and one activation each.";
    all.front().maximum = most_elements;
    all.push_back({.id = std::string(key::gain.id),
                   .label = "Gain",
                   .unit = "",
                   .help = "Multiplies the weighed value before tanh: large ones drive the activations to 1.",
                   .fallback = 1.0,
                   .minimum = 0,
                   .maximum = 1000,
                   .shapes_input = false});
    all.push_back(
        {.id = std::string(key::formula.id),
         .label = "tanh",
         .unit = "",
         .help = "How tanh is computed: in a form that keeps its digits everywhere, or as its definition is "
                 "written.",
         .fallback = ChoiceIndex{0},
         .shapes_input = false,
         .may_be_wrong = true,
         .choices = {{"stable", "stable"}, {"as_written", "as written"}}});
    return all;
}

float gain_f32(const Values& values) {
    const auto gain = static_cast<float>(values[key::gain]);
    return gain < std::numeric_limits<float>::min() ? 0.0f : gain;
}

}  // namespace gridstride::lessons::hidden_layer
