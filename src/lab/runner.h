// Executes requests on a device: plan, input, run, judge, sample, report.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "lab/control.h"
#include "lab/kept.h"
#include "lab/kernel_cache.h"
#include "lab/own_kernel.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Runner {
 public:
    /// device: see gpu::choose_device(). compiler: the program that compiles the user's kernels, see
    /// shader/compile_apart.h. Throws NoDevice.
    explicit Runner(const std::string& device, const std::filesystem::path& compiler = "/proc/self/exe");

    const Limits& limits() const { return device_.limits(); }
    /// Returns false once the device has missed a deadline; it never becomes usable again.
    bool usable() const { return !device_.given_up() && !own_kernels_.given_up(); }

    /// Executes one request. Calls emit with every report; the last one is final. Does not throw: a failure
    /// is a report.
    void run(const Request& request, Control& control, const std::function<void(Report)>& emit);

 private:
    void ensure_ceilings();
    void raise_ceilings(const Report& report);
    bool too_low(const Ceilings& ceilings, const Report& report) const;
    void carry_out(const Request& request, Control& control, Report& report,
                   const std::function<void(Report)>& emit);
    void tell_loops_cut(const Prepared& prepared, const Plan& launched, const Control& control,
                        Report& report);
    /// Throws std::runtime_error if a launch has more loop iterations than its plan states: on a driver that
    /// caps loops they would be cut.
    void require_stated_iterations(const Prepared& prepared, const Plan& launched, const Input& input,
                                   const Control& control);
    struct LoopIterations {
        std::size_t step = 0;          ///< of the plan; a launch
        std::uint64_t iterations = 0;  ///< max of a subgroup in one dispatch; see shader/loop_counter.h
    };
    /// Counts loop iterations in a separate run of `plan`. Returns nullopt if that is impossible.
    std::optional<std::vector<LoopIterations>> count_loop_iterations(
        const Prepared& prepared, Plan plan, const std::function<bool(const Dispatch&)>& is_counted,
        shader::CountedLoops counted_loops, const Input& input, const Control& control);
    /// kernels: runs the plan if it cannot be traced.
    void record(const Recorded& wanted, const Prepared& prepared, const Plan& launched, KernelCache& kernels,
                Control& control, Report& report);

    gpu::Device device_;
    KernelCache kernels_{device_};
    OwnKernels own_kernels_;
    std::filesystem::path ceilings_file_;
    std::optional<Ceilings> ceilings_;
    bool measured_ceilings_ = false;  ///< in this process
    Kept kept_;
};

}  // namespace gridstride::lab
