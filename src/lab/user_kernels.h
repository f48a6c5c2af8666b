// Kernels that are compiled at run time: the user's own in place of a lesson's, those of a plan
// (Dispatch::file_source), and any kernel that is instrumented to leave a trace. All are compiled in a
// separate process, validated, checked against the device and the launch, and get their indices clamped
// before the driver sees them. They run on the robust device, whose driver keeps accesses inside the buffers.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "lab/compare_interfaces.h"
#include "lab/control.h"
#include "lab/kernel_cache.h"
#include "lab/request.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "lesson/lesson.h"
#include "lesson/report.h"
#include "shader/compile_instrumented.h"
#include "shader/compiler.h"
#include "shader/inspect.h"
#include "trace/trace.h"

namespace gridstride::lab {

/// Checks a user's kernel before the driver sees it, and returns what it needs. Throws std::runtime_error if
/// spirv-val refuses the module, and Refusal, with all reasons, if the kernel needs more than the device
/// allows or the launch provides, or if a replacement's interface does not match the variant's. name: the
/// kernel's name in refusals.
shader::KernelRequirements admit(const std::vector<std::uint32_t>& spirv, const LaunchInterface& launch,
                                 const Limits& device, const Replacement* replacement = nullptr,
                                 const std::string& name = "Your kernel");

/// Returns the sentence for a user's kernel with a loop that the device's driver may have ended.
std::string loop_note(const Limits& device);

class UserKernels {
 public:
    /// compiler: the program that compiles. See shader/compile_isolated.h.
    UserKernels(gpu::Device device, std::filesystem::path compiler)
        : device_(std::move(device)), compiler_(std::move(compiler)) {}

    struct UserKernelUse {
        bool any = false;
        double compile_ns = 0;  ///< GLSL to SPIR-V in a separate process, as measured the first time
        bool has_loops = false;
    };
    /// Replaces the kernel that the variant shows by the user's in all launches, and compiles the plan's own
    /// kernels. The report gets the compiler's diagnostics, a note that indices of the user's are clamped,
    /// and a note for each buffer that is declared larger than it is, or declared as written and is not.
    /// Throws std::runtime_error with the first error and its place; Refusal as admit() does, and if a kernel
    /// writes what it declares as read; RunAborted; NoDevice as kernels() does. is_graded: see
    /// Request::is_graded. A forbidden include is an error at its line.
    UserKernelUse substitute_kernels(Plan& plan, const PreparedExperiment& prepared, bool is_graded,
                                     const Control& control, Report& report);

    /// A kernel that is instrumented to leave a trace. See shader/compile_instrumented.h.
    struct InstrumentedKernel {
        std::string kernel;  ///< its name in kernels()
        std::string title;   ///< its file, or the name of the user's kernel
        std::vector<trace::Site> sites;
        std::string branches_note;  ///< see trace::Trace
    };
    /// Instruments the kernel of `launch`, a launch of the lesson's unchanged plan: the user's if it replaces
    /// it, else the shipped one. Throws as substitute_kernels() does. counted_loops: see
    /// InstrumentationOptions.
    InstrumentedKernel instrument(const Dispatch& launch, std::uint32_t binding,
                                  shader::CountedLoops counted_loops, const PreparedExperiment& prepared,
                                  const Control& control);
    /// Returns true if `launch`, a launch of the lesson's unchanged plan, runs a kernel of the user.
    static bool runs_user_kernel(const Dispatch& launch, const PreparedExperiment& prepared) {
        return find_user_kernel(launch, prepared).has_value();
    }

    /// Returns the kernels of the robust device, on which all launches of a plan with user kernels run.
    /// Clamping trusts the declared length of an array, which may exceed its buffer, so it does not suffice.
    /// The device is opened at the first call, which substitute_kernels() makes: most users read for a while
    /// before they write. Throws NoDevice.
    KernelCache& kernels();
    bool is_hung() const { return robust_kernels_ && robust_kernels_->device().is_hung(); }

 private:
    struct CompileKey {
        KernelSource source;
        shader::Defines defines;
        std::optional<shader::InstrumentationOptions> instrumentation = {};
        bool is_graded = false;
        bool operator==(const CompileKey&) const = default;
    };
    struct Admission {
        LaunchInterface launch;
        shader::KernelRequirements needs;
        std::vector<std::string> notes;  ///< of a replacement: its scalars, and sizes that are literals
    };
    struct CompiledKernel {
        CompileKey key;
        shader::InstrumentedKernel output;  ///< without sites if it is not instrumented
        double compile_ns = 0;
        std::vector<std::filesystem::file_time_type> include_times;  ///< of output.compiled.includes
        std::string kernel;                                          ///< its name in the kernel cache
        std::vector<Admission> admissions = {};
    };
    /// Returns the user's kernel for the launch; nullopt if it runs a shipped one.
    static std::optional<CompileKey> find_user_kernel(const Dispatch& launch,
                                                      const PreparedExperiment& prepared);
    /// Returns whether the cache has the kernel, which is then the first there.
    bool move_to_front(const CompileKey& key);
    /// Compiles the kernels that the cache lacks, in one process. No more than cache_capacity_; one if it is
    /// instrumented.
    void compile(std::vector<CompileKey> keys, const Control& control);
    CompiledKernel& compiled(const CompileKey& key, const Control& control);
    /// Returns the lesson's kernels that are the same program as the user's when they are compiled in its
    /// place. See Report::identical_kernels.
    std::vector<std::string> find_identical_kernels(const PreparedExperiment& prepared,
                                                    const CompileKey& user_kernel, const Control& control);
    /// Admits the kernel in place of what the plan's launch runs. The result is cached for all runs with an
    /// equal launch and valid until the next call. Throws as admit() does.
    const Admission& admission(CompiledKernel& own, const Plan& plan, const Dispatch& launch,
                               const PreparedExperiment& prepared);

    gpu::Device device_;
    std::filesystem::path compiler_;
    std::optional<KernelCache> robust_kernels_;
    std::deque<CompiledKernel> cache_;  ///< most recently used first
    /// Enough for switching between a few versions in a few builds. Raised if a plan has more kernels.
    static constexpr std::size_t max_cached = 12;
    std::size_t cache_capacity_ = max_cached;
    static constexpr std::size_t max_admissions = 64;  ///< per kernel; at the limit all are dropped
    std::uint64_t next_id_ = 0;
};

}  // namespace gridstride::lab
