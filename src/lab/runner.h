// Executes requests on a device: plan, input, run, judge, sample, report.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "lab/control.h"
#include "lab/kernel_cache.h"
#include "lab/reference_kernel.h"
#include "lab/request.h"
#include "lab/run_cache.h"
#include "lab/user_kernels.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Runner {
 public:
    /// device: see gpu::find_device(). compiler: the program that compiles the user's kernels, see
    /// shader/compile_isolated.h. run_reference: computes what reference kernels define. Throws NoDevice.
    explicit Runner(const std::string& device, const std::filesystem::path& compiler = "/proc/self/exe",
                    RunReference run_reference = {});

    const Limits& limits() const { return device_.limits(); }
    /// Returns false once the device has missed a deadline; it never becomes usable again.
    bool is_usable() const { return !device_.is_hung() && !user_kernels_.is_hung(); }

    /// Executes one request. Calls emit with every report; the last one is final. Does not throw: a failure
    /// is a report.
    void run(const Request& request, Control& control, const std::function<void(Report)>& emit);

 private:
    void ensure_ceilings(std::vector<CeilingGroup> groups);
    void raise_ceilings(const Report& report);
    bool is_too_low(const Ceilings& ceilings, const Report& report) const;
    void execute(const Request& request, Control& control, Report& report,
                 const std::function<void(Report)>& emit);
    void note_cut_loops(const PreparedExperiment& prepared, const Plan& launched_plan, const Control& control,
                        Report& report);
    /// Throws std::runtime_error if the driver may end loops of a reference kernel.
    void require_whole_loops(const PreparedExperiment& prepared, const Plan& launched_plan,
                             const Input& input, const Control& control);
    /// Throws std::runtime_error if a launch has more loop iterations than its plan states: on a driver that
    /// caps loops they would be cut.
    void check_stated_iterations(const PreparedExperiment& prepared, const Plan& launched_plan,
                                 const Input& input, const Control& control);
    struct LoopIterations {
        std::size_t step = 0;          ///< of the plan; a launch
        std::uint64_t iterations = 0;  ///< max of a subgroup in one dispatch; see shader/loop_counter.h
    };
    /// Counts loop iterations in a separate run of `plan`. Returns nullopt if that is impossible.
    std::optional<std::vector<LoopIterations>> count_loop_iterations(
        const PreparedExperiment& prepared, Plan plan, const std::function<bool(const Dispatch&)>& is_counted,
        shader::CountedLoops counted_loops, const Input& input, const Control& control);
    /// kernels: runs the plan if it cannot be traced.
    void trace_launch(const TraceOptions& options, const PreparedExperiment& prepared,
                      const Plan& launched_plan, KernelCache& kernels, Control& control, Report& report);

    gpu::Device device_;
    KernelCache kernels_{device_};
    UserKernels user_kernels_;
    std::filesystem::path ceilings_file_;
    std::optional<Ceilings> ceilings_;
    bool measured_copies_ = false;  ///< in this process
    RunCache run_cache_;
    RunReference run_reference_;
};

}  // namespace gridstride::lab
