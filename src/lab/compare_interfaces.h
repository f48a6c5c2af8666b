// Whether a person's own kernel declares what the launch of the variant's kernel fills in. Two kernels may
// name and type the elements of a buffer as they like; push constants and specialisation constants arrive by
// their place alone, so names and types there must be those of the variant.
#pragma once

#include <string>
#include <vector>

#include "launch/plan.h"
#include "shader/inspect.h"
#include "shader/kernel_interface.h"

namespace gridstride::lab {

/// The kernel that the launch was planned for. plan has the launch in it, and outlives this.
struct VariantKernel {
    const Plan& plan;
    std::string file;           ///< "softmax/three_passes.comp"
    std::string print_command;  ///< of the command line
    shader::KernelInterface interface;
};

/// What the launch would fill in wrongly, a sentence each; the last of them has both interfaces side by side,
/// a line each. Empty: nothing. The launch is one of the plan's steps. refused: there are other reasons for
/// which the interfaces are to be shown.
std::vector<std::string> interface_reasons(const shader::KernelInterface& own,
                                           const shader::KernelNeeds& needs, const Dispatch& launch,
                                           const VariantKernel& variant, bool refused);

/// That a workgroup size of the kernel is a literal where the variant's follows the bench; empty: none is.
std::string literal_size_note(const shader::KernelInterface& own, const Dispatch& launch,
                              const VariantKernel& variant);

}  // namespace gridstride::lab
