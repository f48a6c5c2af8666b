#include "lab/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/no_shared_memory.h"
#include "base/units.h"
#include "gpu/device.h"
#include "lab/begin_report.h"
#include "lab/ceilings.h"
#include "lab/execution.h"
#include "lab/kept.h"
#include "lab/kernel_cache.h"
#include "lab/measured_run.h"
#include "lab/own_kernel.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// Makes the kernel's repeats cold where that is asked for, and says which they are.
void set_cache_state(Execution& execution, const Sampling& sampling, const Control& control, Report& report) {
    CacheState& cache = report.cache;
    cache.working_set_bytes = execution.working_set_bytes();
    cache.cache_bytes = report.device.cache_bytes;
    if (sampling.cache != Cache::cold || !sampling.measure) return;
    cache.cold = execution.go_round(cache.cache_bytes, control);
    cache.copies = execution.copies();
    if (!cache.cold)
        report.notes.push_back(fmt::format(
            "A cold cache was asked for, but the kernel was timed warm: {}.",
            execution.can_batch()
                ? fmt::format("copies of these buffers that exceed the cache of {} do not fit the memory",
                              format_bytes(static_cast<double>(cache.cache_bytes)).text())
                : std::string("this variant's kernels cannot be repeated by themselves")));
}

/// For a wrong result of an own kernel that loops.
void add_loop_note(Report& report) {
    if (report.compare.wrong_runs == 0) return;
    if (std::string note = loop_note(report.device); !note.empty()) report.notes.push_back(std::move(note));
}

}  // namespace

struct Runner::State {
    gpu::Device device;
    KernelCache kernels{device};
    OwnKernels own_kernels;
    std::optional<Ceilings> ceilings;
    Kept kept;

    State(const std::string& wanted, const std::filesystem::path& compiler)
        : device(wanted), own_kernels(device, compiler) {
        ceilings = load_ceilings(device.limits(), cache_directory() / "ceilings.json");
    }

    void ensure_ceilings();
    void raise_ceilings(const Report& report);
    void show_ceilings(Report& report) const;
    void carry_out(const Request& request, Control& control, Report& report,
                   const std::function<void(Report)>& emit);
};

void Runner::State::ensure_ceilings() {
    if (ceilings) return;
    ceilings = measure_ceilings(device);
    store_ceilings(device.limits(), *ceilings, cache_directory() / "ceilings.json");
}

/// A ceiling is the best that was ever reached. What was measured while the machine had other work, once and
/// for all, grows when a run does better.
void Runner::State::raise_ceilings(const Report& report) {
    if (!ceilings) return;
    constexpr double clearly = 1.02;
    bool raised = false;
    const auto raise = [&](double& ceiling, double reached, std::uint64_t bytes) {
        if (bytes < transfer_bytes || reached <= clearly * ceiling || ceiling <= 0) return;
        ceiling = reached;
        raised = true;
    };
    raise(ceilings->staged_upload_bytes_per_second, report.upload_bytes_per_second(), report.uploaded_bytes);
    raise(ceilings->staged_download_bytes_per_second, report.download_bytes_per_second(),
          report.downloaded_bytes);
    if (raised) store_ceilings(device.limits(), *ceilings, cache_directory() / "ceilings.json");
}

void Runner::State::show_ceilings(Report& report) const {
    report.ceilings = ceilings;
    if (ceilings) report.copy_ceiling = ceilings->copy_bytes_per_second;
}

void Runner::State::carry_out(const Request& request, Control& control, Report& report,
                              const std::function<void(Report)>& emit) {
    const Prepared asked = prepare(request.experiment, device.limits());
    report.experiment = asked.experiment;
    require_valid(asked);

    const Plan& plan = asked.plan;
    // The lesson's own functions go on seeing the lesson's own plan.
    Plan launched = plan;
    OwnKernels::Placed own;
    if (asked.experiment.kernel)
        own = own_kernels.put_into(launched, *asked.variant, *asked.experiment.kernel, control, report);
    const Input& input = kept.input(asked);
    control.check();
    const std::vector<Expected>& expected = kept.reference(asked);
    control.check();

    report.input = input;
    report.bytes_moved = plan.least_bytes;
    report.operations = plan.operations;
    report.uploaded_bytes = uploaded_bytes(plan);
    report.downloaded_bytes = downloaded_bytes(plan);
    const bool wants_ceilings = request.sampling.measure;
    if (wants_ceilings && !request.sampling.first_quickly) ensure_ceilings();

    const Clock::time_point preparing = Clock::now();
    KernelCache& used = asked.experiment.kernel ? own_kernels.kernels() : kernels;
    Execution execution(used.device(), used, launched, input, kept.memory(used.device(), launched));
    const double pipelines_ns = nanoseconds_since(preparing);
    report.launch = {plan.main().workgroup, plan.main().grid, execution.dispatches(), execution.main_slices(),
                     execution.main_registers()};
    report.timings.host_clock = device.limits().timestamp_valid_bits == 0;

    MeasuredRun run(execution, asked, expected, control, report);
    const bool cold = execution.cold();
    const PassTimes first = run.judged_pass();
    if (cold && request.sampling.measure) {
        const PassTimes second = run.judged_pass();
        execution.set_compile_time(pipelines_ns + std::max(0.0, first.wall_ns - second.wall_ns));
    }
    report.timings.compile_ns = own.compile_ns + execution.compile_ns();

    set_cache_state(execution, request.sampling, control, report);
    run.take_samples(request.sampling, [&] {
        show_ceilings(report);
        Report progress = report;
        progress.final = false;
        if (own.has_loops) add_loop_note(progress);
        emit(std::move(progress));
        execution.give_outputs_away();
    });
    if (own.has_loops) add_loop_note(report);
    if (wants_ceilings && !control.superseded) ensure_ceilings();
    raise_ceilings(report);
    show_ceilings(report);
}

Runner::Runner(const std::string& device, const std::filesystem::path& compiler)
    : state_(std::make_unique<State>(device, compiler)) {}
Runner::~Runner() = default;

const Limits& Runner::limits() const {
    return state_->device.limits();
}

bool Runner::usable() const {
    return !state_->device.given_up() && !state_->own_kernels.given_up();
}

void Runner::run(const Request& request, Control& control, const std::function<void(Report)>& emit) {
    Report report = begin_report(request, limits());
    try {
        state_->carry_out(request, control, report, emit);
    } catch (const Refusal& refused) {
        report.status = Status::refused;
        report.message = refused.what();
    } catch (const GivenUp& given_up) {
        report.status = control.cancelled ? Status::stopped : Status::timed_out;
        report.message = given_up.what();
    } catch (const NoSharedMemory& none) {
        report.status = Status::failed;
        report.message = none.what();
    } catch (const std::bad_alloc&) {
        report.status = Status::failed;
        report.message =
            "There is not enough memory for this run. Take fewer elements, or close other programs.";
    } catch (const std::exception& error) {
        report.status = Status::failed;
        report.message = error.what();
    }
    if (gpu::validation_enabled()) {
        const std::vector<std::string> messages = gpu::take_validation_messages();
        if (!messages.empty()) {
            report.status = Status::failed;
            report.message = fmt::format("The validation layers report {} messages. First: {}",
                                         messages.size(), messages.front());
        }
    }
    emit(std::move(report));
}

}  // namespace gridstride::lab
