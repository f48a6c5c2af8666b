#include "tensor_lesson/parameters.h"

#include <fmt/format.h>

#include "base/units.h"
#include "lesson/common_parameters.h"

namespace gridstride::tensor_lesson {

Parameter in_place_parameter() {
    return choice_parameter(
        key::in_place, "In place",
        "Whether the result of an operation may reuse the memory of an operand that is not read later.",
        Invalidates::launch,
        {{"no", "separate memory for each result"}, {"yes", "memory of an operand that is not read later"}});
}

Parameter precision_parameter() {
    return choice_parameter(key::precision, "Precision",
                            "The type in which the factors of matrix products are multiplied. The products "
                            "are added up in f32.",
                            Invalidates::reference,
                            {{"f32", "f32"}, {"f16", "f16, by matrix units where the device has them"}});
}

Parameter memory_parameter() {
    Parameter memory = number_parameter(key::memory, "Memory",
                                        "The device memory that all tensors may use at the same time. If it "
                                        "is too little, the least recently used tensors move to the CPU. "
                                        "auto: no limit.",
                                        0, 0x1p16, 0x1p40, Invalidates::launch);
    memory.unit = "bytes";
    memory.is_automatic = true;
    memory.scale = Scale::powers_of_two;
    return memory;
}

tensor::Options options_for(const Values& values, tensor::Execution execution) {
    return {.execution = execution,
            .is_in_place = values[key::in_place] == InPlace::yes,
            .memory_bytes = values[key::memory],
            .workgroup_size = requested_workgroup(values).product(),
            .workgroup_count = requested_grid(values).product()};
}

void add_remarks(Remarks& remarks, const Values& values, tensor::Execution execution) {
    if (execution == tensor::Execution::eager) {
        constexpr const char* sentence = "Eager execution ignores this. It needs planned or fused execution.";
        if (values[key::in_place] == InPlace::yes) remarks.note(key::in_place, sentence);
        if (values[key::memory] > 0) remarks.note(key::memory, sentence);
    }
    if (requested_workgroup(values).y > 1)
        remarks.note(gridstride::key::workgroup,
                     fmt::format("These kernels are one-dimensional: a workgroup has {} invocations along x.",
                                 format_count(requested_workgroup(values).product())));
}

}  // namespace gridstride::tensor_lesson
