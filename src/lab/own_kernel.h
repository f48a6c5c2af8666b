// Kernels that are compiled here: the person's own in place of a lesson's, those that a plan has of its own
// (Dispatch::own), and any with recording in it. Compiled in a process of their own, validated,
// inspected against the device and the launch, and their indices clamped, all before the driver sees them,
// which then keeps them inside the buffers.
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
#include "shader/compiler.h"
#include "shader/inspect.h"
#include "shader/record_accesses.h"
#include "trace/trace.h"

namespace gridstride::lab {

/// The gate that every kernel of a person's own passes before the driver sees it. Throws std::runtime_error
/// when spirv-val refuses the module, and Refusal, with all reasons, when it asks for more than the device
/// allows or than the launch gives, or, as a replacement, declares what the launch fills in otherwise than
/// the variant's kernel. Returns what an admitted kernel needs. name: what the kernel is called in refusals.
shader::KernelNeeds admit(const std::vector<std::uint32_t>& spirv, const LaunchInterface& launch,
                          const Limits& device, const Replacement* replacement = nullptr,
                          const std::string& name = "Your kernel");

/// What to say of a kernel whose loops the device's driver may have ended.
std::string loop_note(const Limits& device);

class OwnKernels {
 public:
    /// compiler: the program that compiles, see shader/compile_apart.h.
    OwnKernels(gpu::Device device, std::filesystem::path compiler)
        : device_(std::move(device)), compiler_(std::move(compiler)) {}

    /// What somebody wrote and the plan launches.
    struct Placed {
        bool any = false;
        double compile_ns = 0;  ///< GLSL to SPIR-V, in a process of its own; as measured the first time
        bool has_loops = false;
    };
    /// Makes the launches of the variant's shown kernel run the person's, and those of the plan's own kernels
    /// theirs. The report gets what the compiler says, a note that indices are clamped, and one for each
    /// buffer that is declared larger than it is, or as written and is not. Throws std::runtime_error with
    /// the first error and its place, Refusal as admit() does and where a kernel writes what it only reads,
    /// GivenUp, NoDevice as kernels() does.
    /// graded: see Request::graded. An include that is not allowed is an error at its line.
    Placed put_into(Plan& plan, const Prepared& prepared, bool graded, const Control& control,
                    Report& report);

    /// A kernel with recording in it: see shader/record_accesses.h.
    struct WithRecording {
        std::string kernel;  ///< its name in kernels()
        std::string title;   ///< its file, or the name of the person's own
        std::vector<trace::Site> sites;
    };
    /// Of what `launch`, as the lesson plans it, runs: what somebody wrote where that is it, else the
    /// program's. Throws as put_into() does. counted_loops: see RecordedLaunch.
    WithRecording with_recording(const Dispatch& launch, std::uint32_t binding,
                                 shader::CountedLoops counted_loops, const Prepared& prepared,
                                 const Control& control);
    /// Whether `launch`, as the lesson plans it, runs what somebody wrote.
    static bool is_replaced(const Dispatch& launch, const Prepared& prepared) {
        return wanted_by(launch, prepared).has_value();
    }

    /// Where a plan with such kernels runs, all of it: on the robust device. Clamping takes arrays to be as
    /// long as they are declared, and one may be declared longer than its buffer. Opened at the first call,
    /// which is to be put_into()'s: most people read a while before they write. Throws NoDevice.
    KernelCache& kernels();
    bool given_up() const { return robust_ && robust_->device().given_up(); }

 private:
    /// What a compiled kernel depends on.
    struct Wanted {
        KernelSource source;
        shader::Defines defines;
        std::optional<shader::RecordedLaunch> recorded = {};
        bool graded = false;
        bool operator==(const Wanted&) const = default;
    };
    /// That a launch may run the kernel.
    struct Admission {
        LaunchInterface launch;
        shader::KernelNeeds needs;
        std::vector<std::string> notes;  ///< of a replacement: see scalar_notes() and literal_size_note()
    };
    struct Compiled {
        Wanted wanted;
        shader::RecordingKernel made;  ///< without sites where nothing is recorded
        double compile_ns = 0;
        std::vector<std::filesystem::file_time_type> include_times;  ///< of made.compiled.includes
        std::string kernel;                                          ///< its name in the cache of kernels
        std::vector<Admission> admissions = {};                      ///< so far
    };
    /// nullopt: nobody's, but the program's.
    static std::optional<Wanted> wanted_by(const Dispatch& launch, const Prepared& prepared);
    Compiled& compiled(const Wanted& wanted, const Control& control);
    /// Of the kernel in place of what the plan's launch runs: decided once for all runs with such a launch.
    /// Valid until the next call. Throws as admit() does.
    const Admission& admission(Compiled& own, const Plan& plan, const Dispatch& launch,
                               const Prepared& prepared);

    gpu::Device device_;
    std::filesystem::path compiler_;
    std::optional<KernelCache> robust_;
    std::deque<Compiled> last_;  ///< newest first
    /// Enough for going back and forth between a few versions in a few builds; all of a plan's in any case.
    static constexpr std::size_t max_cached = 12;
    std::size_t kept_ = max_cached;
    static constexpr std::size_t max_admissions = 64;  ///< of a kernel; then all go
    std::uint64_t next_ = 0;
};

}  // namespace gridstride::lab
