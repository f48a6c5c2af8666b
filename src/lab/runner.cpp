#include "lab/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/shared_memory.h"
#include "base/units.h"
#include "lab/ceilings.h"
#include "lab/execution.h"
#include "lab/measured_run.h"
#include "lab/trace_recorder.h"
#include "launch/slices.h"
#include "lesson/lesson.h"
#include "lesson/trace_metrics.h"
#include "shader/loop_counter.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// Tolerated iterations of a dispatch beyond those that its plan states. The final check of a loop's
/// condition counts as one, so each loop entered once a dispatch adds 1. slice() reserves more.
constexpr std::uint64_t loop_end_tolerance = 16;

/// A reference is unused if its kernel needs more iterations than the cap minus cap / this number.
constexpr std::uint64_t reference_loop_reserve = 12;

/// Makes the kernel's repeats cold if requested, and sets the cache state of the report.
void set_cache_state(Execution& execution, const Sampling& sampling, const Control& control, Report& report) {
    report.cache = execution.cache();
    if (sampling.cache != Cache::cold || !sampling.measure) return;
    if (!execution.rotate_buffers(control))
        report.notes.push_back(fmt::format(
            "A cold cache was requested, but the kernel was timed warm: {}.",
            execution.can_batch()
                ? fmt::format("copies of these buffers that exceed the cache of {} do not fit in memory",
                              format_byte_text(execution.cache().cache_bytes))
                : std::string("this variant's kernels cannot be repeated by themselves")));
    report.cache = execution.cache();
}

}  // namespace

Runner::Runner(const std::string& device, const std::filesystem::path& compiler, RunReference run_reference)
    : device_(device),
      user_kernels_(device_, compiler),
      ceilings_file_(ceilings_file()),
      ceilings_(load_ceilings(limits(), ceilings_file_)),
      run_reference_(std::move(run_reference)) {}

/// Measures those of the groups that are not measured yet.
void Runner::ensure_ceilings(std::vector<CeilingGroup> groups) {
    std::erase_if(groups, [&](CeilingGroup group) { return ceilings_ && is_measured(*ceilings_, group); });
    if (groups.empty()) return;
    ceilings_ = measure_ceilings(device_, groups, ceilings_.value_or(Ceilings{}), ceilings_file_);
    if (std::ranges::find(groups, CeilingGroup::copies) != groups.end()) measured_copies_ = true;
}

/// A kernel that only reads is somewhat faster than a copy. If it is this much faster without help of a
/// cache, the copy was measured while the machine was busy.
bool Runner::is_too_low(const Ceilings& ceilings, const Report& report) const {
    constexpr double max_ratio = 1.5;
    return !report.cache.from_cache() && report.bytes_moved >= transfer_bytes &&
           report.bytes_per_second() > max_ratio * ceilings.copy_bytes_per_second;
}

/// A ceiling is the best rate ever reached. One that was measured while the machine was busy grows when a run
/// exceeds it.
void Runner::raise_ceilings(const Report& report) {
    if (!ceilings_) return;
    if (!measured_copies_ && is_too_low(*ceilings_, report)) {
        std::vector<CeilingGroup> again(std::begin(all_ceiling_groups), std::end(all_ceiling_groups));
        std::erase_if(again, [&](CeilingGroup group) { return !is_measured(*ceilings_, group); });
        ceilings_.reset();
        return ensure_ceilings(std::move(again));
    }
    constexpr double min_gain = 1.02;
    bool raised = false;
    const auto raise = [&](double& ceiling, double rate, std::uint64_t bytes) {
        if (bytes < transfer_bytes || rate <= min_gain * ceiling || ceiling <= 0) return;
        ceiling = rate;
        raised = true;
    };
    raise(ceilings_->staged_upload_bytes_per_second, report.upload_bytes_per_second(), report.uploaded_bytes);
    raise(ceilings_->staged_download_bytes_per_second, report.download_bytes_per_second(),
          report.downloaded_bytes);
    if (raised) store_ceilings(limits(), *ceilings_, ceilings_file_);
}

void Runner::execute(const Request& request, Control& control, Report& report,
                     const std::function<void(Report)>& emit) {
    const PreparedExperiment prepared = prepare(request.experiment, limits());
    report.experiment = prepared.experiment;
    report.remarks = prepared.remarks;
    require_valid(prepared);

    const Plan& plan = prepared.plan;
    // The lesson's functions always see the lesson's unchanged plan.
    Plan launched_plan = plan;
    const UserKernels::UserKernelUse own =
        user_kernels_.substitute_kernels(launched_plan, prepared, request.is_graded, control, report);
    KernelCache& kernels = own.any ? user_kernels_.kernels() : kernels_;
    const Input& input = run_cache_.input(prepared);
    control.check();
    const std::vector<Expected>& expected = run_cache_.reference(prepared, [&](const Expected& one) {
        return compute_reference(one, prepared, run_reference_, control);
    });
    control.check();

    for (const Expected& one : expected)
        if (!one.note.empty()) report.notes.push_back(one.note);
    for (const NamedArray& one : input)
        report.notes.insert(report.notes.end(), one.remarks.begin(), one.remarks.end());
    report.input = input;
    report.bytes_moved = plan.min_bytes;
    report.operations = plan.operations;
    report.uploaded_bytes = uploaded_bytes(plan);
    report.downloaded_bytes = downloaded_bytes(plan);
    if (request.trace_options) {
        trace_launch(*request.trace_options, prepared, launched_plan, kernels, control, report);
        if (own.has_loops) note_cut_loops(prepared, launched_plan, control, report);
        if (request.trace_options->needs_ceilings && !control.is_superseded)
            ensure_ceilings(needed_ceilings(report));
        report.ceilings = ceilings_;
        return;
    }
    const bool wants_ceilings = request.sampling.measure;
    if (request.measure_ceilings) {
        ceilings_.reset();
        ensure_ceilings({std::begin(all_ceiling_groups), std::end(all_ceiling_groups)});
    }
    if (wants_ceilings && !request.sampling.quick_first_report) ensure_ceilings(needed_ceilings(report));

    std::shared_ptr<PlanMemory> memory = run_cache_.memory(kernels.device(), launched_plan);
    report.timings.allocate_ns = memory->allocate_ns;
    const Clock::time_point start = Clock::now();
    Execution execution(kernels, launched_plan, input, std::move(memory));
    const double pipelines_ns = nanoseconds_since(start);
    report.launch = execution.launch();
    report.timings.host_clock = limits().timestamp_valid_bits == 0;

    MeasuredRun run(execution, prepared, expected, control, report);
    const bool cold = execution.is_cold();
    const PassTimes first = run.run_judged_pass();
    if (cold && request.sampling.measure) {
        const PassTimes second = run.run_judged_pass();
        execution.set_compile_time(pipelines_ns + std::max(0.0, first.wall_ns - second.wall_ns));
    }
    report.timings.compile_ns = own.compile_ns + execution.compile_ns();

    set_cache_state(execution, request.sampling, control, report);
    run.take_samples(request.sampling, [&] {
        report.ceilings = ceilings_;
        Report progress = report;
        progress.is_final = false;
        emit(std::move(progress));
        execution.release_outputs();
    });
    // Whether a kernel that ships has loops is unknown.
    if (find_reference(*prepared.lesson, prepared.variant->id) && (own.has_loops || !own.any))
        require_whole_loops(prepared, launched_plan, input, control);
    else if (own.has_loops)
        note_cut_loops(prepared, launched_plan, control, report);
    if (request.count_loops) check_stated_iterations(prepared, launched_plan, input, control);
    if (wants_ceilings && !control.is_superseded) ensure_ceilings(needed_ceilings(report));
    raise_ceilings(report);
    report.ceilings = ceilings_;
}

/// If a result is not known to be right, counts loop iterations in a separate run to find out whether the
/// driver cut loops.
void Runner::note_cut_loops(const PreparedExperiment& prepared, const Plan& launched_plan,
                            const Control& control, Report& report) {
    if (limits().loop_iterations == 0) return;
    if (report.compare.wrong_runs == 0 && report.compare.outputs_without_reference == 0) return;
    const auto is_own = [&](const Dispatch& launch) {
        return UserKernels::runs_user_kernel(launch, prepared);
    };
    const auto counted_launches = count_loop_iterations(prepared, launched_plan, is_own,
                                                        shader::CountedLoops::all, report.input, control);
    if (counted_launches && std::ranges::all_of(*counted_launches, [&](const LoopIterations& of) {
            return of.iterations < limits().loop_iterations;
        }))
        return;
    report.has_truncated_loops = true;
    report.notes.push_back(loop_note(limits()));
}

void Runner::require_whole_loops(const PreparedExperiment& prepared, const Plan& launched_plan,
                                 const Input& input, const Control& control) {
    const std::uint64_t cap = limits().loop_iterations;
    if (cap == 0) return;
    const auto counted_launches = count_loop_iterations(
        prepared, launched_plan, [](const Dispatch&) { return true; }, shader::CountedLoops::all, input,
        control);
    if (!counted_launches)
        throw std::runtime_error(fmt::format(
            "{} silently ends the loops of an invocation after {} iterations, and its iterations cannot be "
            "counted here. Use a machine whose software driver does not end loops.",
            limits().device_name, format_count(cap)));
    const std::uint64_t iterations =
        std::ranges::max(*counted_launches, {}, &LoopIterations::iterations).iterations;
    if (iterations < cap - cap / reference_loop_reserve) return;
    throw std::runtime_error(fmt::format(
        "An invocation has {}{} loop iterations, and {} silently ends its loops after {}, all its "
        "loops counted together. Choose smaller values, or write it with fewer iterations.",
        format_count(iterations), iterations < cap ? "" : " or more", limits().device_name,
        format_count(cap)));
}

void Runner::check_stated_iterations(const PreparedExperiment& prepared, const Plan& launched_plan,
                                     const Input& input, const Control& control) {
    // A launch of several slices has no total to compare with, because each slice has its own passes.
    const auto is_whole = [&](const Dispatch& launch) {
        return slice(launch, prepared.plan.buffers, limits()).slices.size() == 1;
    };
    const auto counted_launches = count_loop_iterations(
        prepared, launched_plan, is_whole, shader::CountedLoops::without_unroll_hint, input, control);
    if (!counted_launches) return;
    for (const LoopIterations& of : *counted_launches) {
        const auto& launch = std::get<Dispatch>(prepared.plan.steps[of.step]);
        const std::uint64_t stated_iterations =
            launch.passes() * launch.iterations_per_pass + launch.iterations_once;
        if (of.iterations <= stated_iterations + loop_end_tolerance) continue;
        const std::uint64_t needed_passes = of.iterations - std::min(launch.iterations_once, of.iterations);
        throw std::runtime_error(fmt::format(
            "\"{}\" has {} loop iterations in {}; its plan states at most {}. Raise iterations_per_pass from "
            "{} to {}, or iterations_once (now {}).",
            launch.label, of.iterations, counted(launch.passes(), "pass", "passes"), stated_iterations,
            launch.iterations_per_pass, divide_up(needed_passes, launch.passes()), launch.iterations_once));
    }
}

std::optional<std::vector<Runner::LoopIterations>> Runner::count_loop_iterations(
    const PreparedExperiment& prepared, Plan plan, const std::function<bool(const Dispatch&)>& is_counted,
    shader::CountedLoops counted_loops, const Input& input, const Control& control) {
    std::vector<LoopIterations> all;
    std::vector<std::string> counts;
    if (!limits().subgroup_ballot) return std::nullopt;
    try {
        for (std::size_t i = 0; i < prepared.plan.steps.size(); ++i) {
            const auto* const launch = std::get_if<Dispatch>(&prepared.plan.steps[i]);
            if (!launch || !is_counted(*launch)) continue;
            const std::size_t buffer = plan.buffers.size();
            const std::uint64_t counters =
                shader::iteration_counter_words(launch->workgroup.x, launch->workgroup_size(),
                                                launch->workgroup_count(), limits().subgroup_size);
            all.push_back({i, 0});
            counts.push_back(fmt::format("loop iterations {}", i));
            plan.buffers.push_back(
                {counts.back(),
                 ElementType::u32,
                 {1 + std::min(counters, limits().max_binding_bytes / sizeof(std::uint32_t) - 1)}});
            auto& counting_launch = std::get<Dispatch>(plan.steps[i]);
            const auto binding = static_cast<std::uint32_t>(counting_launch.bindings.size());
            counting_launch.kernel =
                user_kernels_.instrument(*launch, binding, counted_loops, prepared, control).kernel;
            counting_launch.bindings.push_back({buffer, Access::read_write, false});
        }
        for (std::size_t n = 0; n < counts.size(); ++n) {
            const std::size_t buffer = plan.buffers.size() - counts.size() + n;
            plan.steps.insert(plan.steps.begin(), Fill{.buffer = buffer, .word = 0});
            plan.steps.emplace_back(Download{buffer});
        }
        KernelCache& kernels = user_kernels_.kernels();
        Execution execution(kernels, plan, input, run_cache_.memory(kernels.device(), plan));
        execution.run(control);
        for (std::size_t n = 0; n < counts.size(); ++n)
            all[n].iterations = get(execution.outputs(), counts[n]).as<std::uint32_t>()[0];
        return all;
    } catch (const RunAborted&) {
        throw;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

/// Runs and judges the plan, and traces it if possible; otherwise the trace has the reason.
void Runner::trace_launch(const TraceOptions& options, const PreparedExperiment& prepared,
                          const Plan& launched_plan, KernelCache& kernels, Control& control, Report& report) {
    TraceRecorder recorder(launched_plan, options, limits());
    Plan plan;
    std::optional<Execution> execution;
    try {
        const auto& launch = std::get<Dispatch>(prepared.plan.steps[recorder.step()]);
        UserKernels::InstrumentedKernel kernel = user_kernels_.instrument(
            launch, recorder.binding(), shader::CountedLoops::none, prepared, control);
        plan = recorder.plan(kernel.kernel, std::move(kernel.sites), kernel.title, kernel.branches_note);
        KernelCache& instrumented = user_kernels_.kernels();
        execution.emplace(instrumented, plan, recorder.input(report.input),
                          run_cache_.memory(instrumented.device(), plan));
    } catch (const RunAborted&) {
        throw;
    } catch (const std::runtime_error& error) {
        report.trace = recorder.make_empty_trace(error.what());
        plan = launched_plan;
        execution.emplace(kernels, plan, report.input, run_cache_.memory(kernels.device(), plan));
    }
    report.launch = execution->launch();
    MeasuredRun run(*execution, prepared, run_cache_.reference(prepared), control, report);
    if (report.trace) {
        run.run_judged_pass();
    } else {
        report.launch.registers = 0;  // they would be the instrumented kernel's
        recorder.record(*execution, run, control, report);
    }
    if (!report.trace->reason.empty()) report.trace_metrics = make_empty_trace_metrics(report.trace->reason);
    run.take_samples({.measure = false}, {});
}

void Runner::run(const Request& request, Control& control, const std::function<void(Report)>& emit) {
    Report report = begin_report(request, limits());
    const auto end = [&](Status status, std::string message) {
        report.status = status;
        report.message = std::move(message);
    };
    try {
        execute(request, control, report, emit);
    } catch (const ProgramError& wrong) {
        report.diagnostics = wrong.diagnostics;
        end(Status::refused, wrong.what());
    } catch (const Refusal& refused) {
        end(Status::refused, refused.what());
    } catch (const RunAborted& aborted) {
        end(control.is_cancelled ? Status::stopped : Status::timed_out, aborted.what());
    } catch (const SharedMemoryError& none) {
        end(Status::failed, none.what());
    } catch (const std::bad_alloc&) {
        end(Status::failed,
            "There is not enough memory for this run. Use fewer elements, or close other programs.");
    } catch (const std::exception& error) {
        end(Status::failed, error.what());
    }
    if (gpu::is_validation_enabled()) {
        const std::vector<std::string> messages = gpu::take_validation_messages();
        if (!messages.empty())
            end(Status::failed, fmt::format("The validation layers report {} messages. First: {}",
                                            messages.size(), messages.front()));
    }
    emit(std::move(report));
}

}  // namespace gridstride::lab
