// Checks that the user's kernel declares what the launch of the variant's kernel fills in. A buffer may
// have another element type and other names; a different type only produces a note. Push constants and
// specialisation constants are passed by position, so their names and types must match the variant's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/plan.h"
#include "shader/inspect.h"
#include "shader/kernel_interface.h"

namespace gridstride::lab {

/// The bindings and constants that a launch provides. Launches with equal interfaces admit the same kernels.
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
    std::vector<std::uint32_t> constants;  ///< by id, including those of the workgroup size
    std::uint64_t push_bytes = 0;          ///< including the lab's words
    std::vector<BoundBuffer> bindings;     ///< indexed by binding number
    bool operator==(const LaunchInterface&) const = default;
};
LaunchInterface launch_interface(const Plan& plan, const Dispatch& launch);

/// The user's kernel and the variant's kernel that it replaces.
struct Replacement {
    const shader::KernelInterface& user_kernel;
    const shader::KernelInterface& variants;
    std::string file;           ///< the variant's: "softmax/three_passes.comp"
    std::string print_command;  ///< prints the variant's kernel on the command line
};

/// Returns a sentence for each mismatch with what the launch fills in; the last one shows both interfaces
/// side by side, one line each. Empty: no mismatch. refused: show the interfaces even without a mismatch.
std::vector<std::string> find_interface_mismatches(const Replacement& kernels,
                                                   const shader::KernelRequirements& needs,
                                                   const LaunchInterface& launch, bool show_interfaces);

/// Returns a sentence for each buffer whose scalar type in the kernel differs from the variant's. float and
/// vec4 have the same scalar type, float and uint do not.
std::vector<std::string> find_scalar_mismatches(const Replacement& kernels, const LaunchInterface& launch);

/// Returns a note if the kernel has its workgroup size as a literal while the variant's follows the settings;
/// otherwise an empty string.
std::string check_literal_size(const Replacement& kernels, const LaunchInterface& launch);

}  // namespace gridstride::lab
