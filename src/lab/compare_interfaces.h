// Whether a person's own kernel declares what the launch of the variant's kernel fills in. A kernel may read
// the bits of a buffer as another type and name them as it likes: the first is only remarked on. Push
// constants and specialisation constants arrive by their place alone, so names and types there must be those
// of the variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/plan.h"
#include "shader/inspect.h"
#include "shader/kernel_interface.h"

namespace gridstride::lab {

/// What a launch fills in, and nothing else of it: two launches with equal ones admit the same kernels.
struct LaunchInterface {
    struct BoundBuffer {
        std::string name;
        Access access = Access::read;
        bool is_result = false;  ///< see is_result_of()
        bool is_filled = false;  ///< see gridstride::is_filled()
        bool operator==(const BoundBuffer&) const = default;
    };
    std::string kernel;  ///< Dispatch::kernel
    Extent workgroup;
    std::vector<std::uint32_t> constants;  ///< by id, with those of the workgroup
    std::uint64_t push_bytes = 0;          ///< with the lab's own
    std::vector<BoundBuffer> bindings;     ///< by number
    bool operator==(const LaunchInterface&) const = default;
};
/// Of one of the plan's launches.
LaunchInterface launch_interface(const Plan& plan, const Dispatch& launch);

/// A person's own kernel and the variant's, whose place it takes.
struct Replacement {
    const shader::KernelInterface& own;
    const shader::KernelInterface& variants;
    std::string file;           ///< the variant's: "softmax/three_passes.comp"
    std::string print_command;  ///< of the command line
};

/// What the launch would fill in wrongly, a sentence each; the last of them has both interfaces side by side,
/// a line each. Empty: nothing. refused: there are other reasons for which the interfaces are to be shown.
std::vector<std::string> interface_reasons(const Replacement& kernels, const shader::KernelNeeds& needs,
                                           const LaunchInterface& launch, bool refused);

/// A sentence for each buffer in which the kernel has numbers of a type that the variant's has not there. Of
/// the same type are float and vec4, not float and uint.
std::vector<std::string> scalar_notes(const Replacement& kernels, const LaunchInterface& launch);

/// That a workgroup size of the kernel is a literal where the variant's follows the bench; empty: none is.
std::string literal_size_note(const Replacement& kernels, const LaunchInterface& launch);

}  // namespace gridstride::lab
