#include "tensor/parameters.h"

#include <fmt/format.h>

#include "base/units.h"
#include "lesson/common_parameters.h"

namespace gridstride::tensor {

Parameter in_place_parameter() {
    return choice_parameter(
        key::in_place, "In place",
        "What an operation makes takes the memory of an operand that nobody reads later.",
        Invalidates::launch,
        {{"no", "memory beside its operands"}, {"yes", "the memory of an operand that nobody reads later"}});
}

Parameter memory_parameter() {
    Parameter memory = number_parameter(key::memory, "Memory",
                                        "What all tensors may take on the device at one time. Those used "
                                        "longest ago move to the CPU. auto: as much as they need.",
                                        0, 0x1p16, 0x1p40, Invalidates::launch);
    memory.unit = "bytes";
    memory.automatic = true;
    memory.scale = Scale::powers_of_two;
    return memory;
}

Options options_of(const Values& values, Execution execution) {
    return {.execution = execution,
            .in_place = values[key::in_place] == InPlace::yes,
            .memory_bytes = values[key::memory],
            .workgroup_size = workgroup_of(values).product(),
            .workgroup_count = grid_of(values).product()};
}

void add_remarks(Remarks& say, const Values& values, Execution execution) {
    if (execution == Execution::eager) {
        constexpr const char* sentence = "Only what is planned looks at this.";
        if (values[key::in_place] == InPlace::yes) say.note(key::in_place, sentence);
        if (values[key::memory] > 0) say.note(key::memory, sentence);
    }
    if (workgroup_of(values).y > 1)
        say.note(gridstride::key::workgroup, fmt::format("The kernels count along one line: {} invocations.",
                                                         format_count(workgroup_of(values).product())));
}

}  // namespace gridstride::tensor
