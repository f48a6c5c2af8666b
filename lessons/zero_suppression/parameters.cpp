#include "zero_suppression/parameters.h"

#include <string>

namespace gridstride::lessons::zero_suppression {

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(100000, 256);
    all.push_back({.id = std::string(key::threshold.id),
                   .label = "Threshold",
                   .unit = "",
                   .help = "Samples below it are noise: they become 0, or are left out.",
                   .fallback = std::uint64_t{15},
                   .minimum = 0,
                   .maximum = 32767,
                   .shapes_input = false});
    all.push_back(
        {.id = std::string(key::rule.id),
         .label = "Rule",
         .unit = "",
         .help =
             "What is compared with the threshold: the sample with its sign, or its magnitude, which also "
             "keeps pulses that point down.",
         .fallback = ChoiceIndex{0},
         .shapes_input = false,
         .choices = {{"signed", "signed: value"}, {"magnitude", "magnitude: |value|"}}});
    return all;
}

}  // namespace gridstride::lessons::zero_suppression
