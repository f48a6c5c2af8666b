#include "reduction/parameters.h"

#include <string>

namespace gridstride::lessons::reduction {

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(1024, 128);
    all.push_back(
        {.id = std::string(key::element_type.id),
         .label = "Numbers",
         .unit = "",
         .help =
             "Whole numbers: 1, 2, 3, … up to 65 536 of them, 0 to 3 by seed where there are more, so that "
             "their sum fits 32 bits. Or random f32 in [0, 1), whose sum depends on the order of the "
             "additions.",
         .fallback = ChoiceIndex{0},
         .choices = {{"u32", "u32: whole numbers"}, {"f32", "f32: random in [0, 1)"}}});
    all.push_back(
        {.id = std::string(key::finish.id),
         .label = "Finish",
         .unit = "",
         .help = "Who adds the partial sums: the GPU in a second launch, or the CPU after the download.",
         .fallback = ChoiceIndex{0},
         .shapes_input = false,
         .choices = {{"gpu", "GPU, a second launch"}, {"cpu", "CPU, after the download"}}});
    all.push_back(
        {.id = std::string(key::barriers.id),
         .label = "Barriers",
         .unit = "",
         .help = "Leaves out the barrier between loading workgroup memory and adding what others loaded.",
         .fallback = ChoiceIndex{0},
         .shapes_input = false,
         .may_be_wrong = true,
         .choices = {{"all", "all"}, {"one_missing", "one missing"}}});
    return all;
}

ElementType storage(const Values& values) {
    return values[key::element_type] == Element::u32 ? ElementType::u32 : ElementType::f32;
}

}  // namespace gridstride::lessons::reduction
