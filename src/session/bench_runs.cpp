#include "session/bench_runs.h"

#include <algorithm>
#include <utility>

namespace gridstride {

namespace {

constexpr std::size_t alternating_rounds = 3;

}  // namespace

void BenchRuns::start(lab::Request request, BenchRunOptions options) {
    const BenchRun* const other = first_compile();
    const bool same_text =
        other && options.is_first_compile && other->request().experiment.kernel == request.experiment.kernel;
    if (same_text) queue_.remove(other);
    clear();
    queue_.add(std::make_shared<BenchRun>(std::vector{std::move(request)}, options), JobPriority::bench);
}

void BenchRuns::add(std::vector<lab::Request> requests) {
    queue_.add(std::make_shared<BenchRun>(std::move(requests)), JobPriority::bench);
}

void BenchRuns::start_alternating(const HistoryEntry& pinned, const Experiment& pinned_experiment,
                                  const Experiment& bench_experiment) {
    clear();
    std::vector<lab::Request> requests;
    for (std::size_t round = 0; round < alternating_rounds; ++round) {
        requests.push_back(request(pinned_experiment));
        requests.push_back(request(bench_experiment));
    }
    const auto job = std::make_shared<BenchRun>(std::move(requests));
    alternating_run_ = job;
    pinned_ = &pinned;
    queue_.add(job, JobPriority::bench);
}

std::optional<BenchRuns::AlternatingTimes> BenchRuns::alternating_times(
    const HistoryEntry* pinned, const Experiment& bench_experiment) const {
    if (!alternating_run_ || pinned_ != pinned ||
        alternating_run_->kernel_times().size() < 2 * alternating_rounds)
        return std::nullopt;
    const Experiment& last = alternating_run_->request().experiment;
    if (!same_settings(last, bench_experiment) || last.kernel != kernels_.last_good(bench_experiment))
        return std::nullopt;
    AlternatingTimes both;
    for (const Summary& times : alternating_run_->kernel_times())
        (both.pinned_times.size() == both.bench_times.size() ? both.pinned_times : both.bench_times)
            .push_back(times);
    return both;
}

void BenchRuns::trace_run(Experiment experiment, const lab::TraceOptions& what, BenchRunOptions options) {
    for (const Job* job : queue_.jobs())
        if (const auto* const run = dynamic_cast<const BenchRun*>(job);
            run && run->request().trace_options && run != running())
            queue_.remove(run);
    queue_.remove_all(JobPriority::picture);
    lab::Request traced = request(std::move(experiment));
    traced.trace_options = what;
    traced.trace_options->needs_ceilings = true;  // for the Limits tab
    traced.sampling.measure = false;
    queue_.add(std::make_shared<BenchRun>(std::vector{std::move(traced)}, options),
               options.for_picture ? JobPriority::picture : JobPriority::bench);
}

void BenchRuns::clear() {
    requeue_compile();
    queue_.remove_all(JobPriority::bench);
    queue_.remove_all(JobPriority::picture);
}

void BenchRuns::stop() {
    clear_diagnostics();
    queue_.stop(JobPriority::bench);
}

const BenchRun* BenchRuns::first_compile() const {
    return is_compiling() && !queue_.is_stopping(running()) ? running() : nullptr;
}

template <class Condition>
bool BenchRuns::any(const Condition& condition) const {
    return std::ranges::any_of(queue_.jobs(), [&](const Job* job) {
        const auto* const run = dynamic_cast<const BenchRun*>(job);
        return run && condition(*run);
    });
}

bool BenchRuns::is_tracing() const {
    return any([](const BenchRun& run) { return run.request().trace_options.has_value(); });
}

bool BenchRuns::is_measuring() const {
    return any([](const BenchRun& run) { return !run.request().trace_options; });
}

/// Runs that were started together must not be separated, and a trace that the user requested has priority.
bool BenchRuns::must_delay_compile() const {
    const BenchRun* const run = running();
    return queue_.count(JobPriority::bench) > 1 ||
           (run && (!run->is_single() || (run->request().trace_options && !run->options().for_picture)));
}

void BenchRuns::requeue_compile() {
    if (const BenchRun* const cancelled = first_compile())
        kernels_.schedule_compile(cancelled->request().experiment);
}

void BenchRuns::clear_diagnostics() {
    if (!running() || !running()->request().experiment.kernel) return;
    const Experiment& running_experiment = running()->request().experiment;
    KernelEdit* const edit = kernels_.find(running_experiment);
    if (edit && edit->state == KernelState::uncompiled && edit->source == *running_experiment.kernel)
        edit->diagnostics.clear();
}

}  // namespace gridstride
