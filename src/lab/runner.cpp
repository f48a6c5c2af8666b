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
#include "lab/kernel_cache.h"
#include "lab/measured_run.h"
#include "lab/own_kernel.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// The values that an input depends on: those of parameters that shape it.
Values input_values(const Lesson& lesson, const Values& values) {
    Values shaping;
    for (const Parameter& parameter : lesson.parameters)
        if (parameter.shapes_input) shaping.set(parameter.id, values.at(parameter.id));
    return shaping;
}

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

    // The last input and the last references: a person changes one control at a time.
    struct {
        std::string lesson;
        Values values;
        ArrayRef user_numbers;
        Input input;
    } made_input;

    State(const std::string& wanted, const std::filesystem::path& compiler)
        : device(wanted), own_kernels(device, compiler) {
        ceilings = load_ceilings(device.limits(), cache_directory() / "ceilings.json");
    }

    const Input& input_for(const Lesson& lesson, const Request& request, const Values& values);
    void ensure_ceilings();
    void raise_ceilings(const Report& report);
    void show_ceilings(Report& report) const;
    void carry_out(const Request& request, Control& control, Report& report,
                   const std::function<void(Report)>& emit);
};

const Input& Runner::State::input_for(const Lesson& lesson, const Request& request, const Values& values) {
    const Values shaping = input_values(lesson, values);
    if (made_input.lesson != lesson.id || !(made_input.values == shaping) ||
        made_input.user_numbers != request.user_data.numbers) {
        made_input.lesson.clear();
        made_input.input.clear();
        if (request.user_data.numbers)
            made_input.input = lesson.input_from_user(request.user_data, values);
        else
            made_input.input = lesson.input(values);
        made_input = {lesson.id, shaping, request.user_data.numbers, std::move(made_input.input)};
    }
    return made_input.input;
}

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
    const Lesson* lesson = find_lesson(request.lesson);
    if (!lesson)
        throw Refusal(
            fmt::format("There is no lesson named {}. \"gridstride list\" names them.", request.lesson));
    if (!find_variant(*lesson, request.variant))
        throw Refusal(fmt::format("{} has no variant named {}. \"gridstride list\" names them.", lesson->id,
                                  request.variant));
    if (request.user_data.numbers) {
        if (!lesson->input_from_user)
            throw Refusal(fmt::format("{} takes no input of your own.", lesson->id));
        report.values.set(key::elements.id, std::uint64_t{request.user_data.numbers->count()});
    }
    const Values& values = report.values;
    require_valid(*lesson, values, request.variant, device.limits());

    const Plan plan = lesson->plan(values, request.variant, device.limits());
    if (const std::string problem = problem_of(plan); !problem.empty())
        throw std::logic_error(fmt::format("{} of {}: {}", request.variant, lesson->id, problem));
    // The lesson's own functions go on seeing the lesson's own plan.
    Plan launched = plan;
    OwnKernels::Placed own;
    if (request.kernel)
        own = own_kernels.put_into(launched, *find_variant(*lesson, request.variant), *request.kernel,
                                   control, report);
    const Input& input = input_for(*lesson, request, values);
    control.check();
    const std::vector<Expected> expected = lesson->reference(input, values, plan);
    control.check();

    report.input = input;
    report.bytes_moved = plan.least_bytes;
    report.operations = plan.flops;
    report.uploaded_bytes = uploaded_bytes(plan);
    report.downloaded_bytes = downloaded_bytes(plan);
    const bool wants_ceilings = request.sampling.measure;
    if (wants_ceilings && !request.sampling.first_quickly) ensure_ceilings();

    const Clock::time_point preparing = Clock::now();
    KernelCache& used = request.kernel ? own_kernels.kernels() : kernels;
    Execution execution(used.device(), used, launched, input);
    const double pipelines_ns = nanoseconds_since(preparing);
    report.launch = {plan.workgroup_size,     plan.workgroup_count,
                     execution.dispatches(),  plan.workgroup_size * plan.workgroup_count,
                     execution.main_slices(), execution.main_registers()};
    report.timings.host_clock = device.limits().timestamp_valid_bits == 0;

    MeasuredRun run(execution, {*lesson, values, input, expected}, control, report);
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
        report.status = Status::timed_out;
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
