// Kernels of the person's own in place of a lesson's: compiled in a process of their own, validated,
// inspected against the device and the launch, and their indices clamped, all before the driver sees them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lab/control.h"
#include "lab/kernel_cache.h"
#include "lab/request.h"
#include "lesson/lesson.h"
#include "lesson/limits.h"
#include "lesson/plan.h"
#include "lesson/report.h"
#include "shader/compiler.h"
#include "shader/inspect.h"

namespace gridstride::lab {

/// The gate that every kernel of a person's own passes before the driver sees it. Throws std::runtime_error
/// when spirv-val refuses the module, and Refusal, with all reasons, when it asks for more than the device
/// allows or than the launch gives. What it lets through, it tells.
shader::KernelNeeds admit(const std::vector<std::uint32_t>& spirv, const Dispatch& dispatch,
                          const Limits& device);

/// What to say when the result of an own kernel with loops is wrong on a device that ends loops silently;
/// empty on others.
std::string loop_note(const Limits& device);

class OwnKernels {
 public:
    /// compiler: the program that compiles, see shader/compile_apart.h.
    OwnKernels(const Limits& device, KernelCache& kernels, std::filesystem::path compiler)
        : device_(device), kernels_(kernels), compiler_(std::move(compiler)) {}

    /// What took the place of the variant's kernel.
    struct Placed {
        double compile_ns = 0;  ///< GLSL to SPIR-V, in a process of its own; as measured the first time
        bool has_loops = false;
    };
    /// Makes the launches of the variant's shown kernel run the person's. The report gets what the compiler
    /// says, and a note that indices are clamped. Throws std::runtime_error with the first error and its
    /// place, Refusal as admit() does, GivenUp.
    Placed put_into(Plan& plan, const Variant& variant, const KernelSource& source, const Control& control,
                    Report& report);

    std::uint64_t compilations() const { return next_; }  ///< so far: the same source again is none

 private:
    struct Compiled {
        KernelSource source;
        shader::Defines defines;
        shader::CompileResult result;
        double compile_ns = 0;
        std::vector<std::filesystem::file_time_type> include_times;  ///< of result.includes
        std::string kernel;                                          ///< its name in the cache of kernels
    };
    const Compiled& compiled(const KernelSource& source, const shader::Defines& defines,
                             const Control& control);

    const Limits& device_;
    KernelCache& kernels_;
    std::filesystem::path compiler_;
    std::deque<Compiled> last_;  ///< newest first
    std::uint64_t next_ = 0;
};

}  // namespace gridstride::lab
