#include "session/bench_runs.h"

#include <algorithm>
#include <utility>

namespace gridstride {

namespace {

constexpr std::size_t rounds_in_turn = 3;

}  // namespace

void BenchRuns::start(lab::Request request, BenchUse use) {
    const BenchRun* const other = trial();
    const bool same_text =
        other && use.trial && other->request().experiment.kernel == request.experiment.kernel;
    if (same_text) queue_.remove(other);
    clear();
    queue_.add(std::make_shared<BenchRun>(std::vector{std::move(request)}, use), JobPriority::bench);
}

void BenchRuns::add(std::vector<lab::Request> requests) {
    queue_.add(std::make_shared<BenchRun>(std::move(requests)), JobPriority::bench);
}

void BenchRuns::start_in_turn(const HistoryEntry& pinned, const Experiment& pinned_again,
                              const Experiment& here) {
    clear();
    std::vector<lab::Request> requests;
    for (std::size_t round = 0; round < rounds_in_turn; ++round) {
        requests.push_back(request(pinned_again));
        requests.push_back(request(here));
    }
    const auto job = std::make_shared<BenchRun>(std::move(requests));
    in_turn_ = job;
    pinned_ = &pinned;
    queue_.add(job, JobPriority::bench);
}

std::optional<BenchRuns::InTurn> BenchRuns::in_turn(const HistoryEntry* pinned,
                                                    const Experiment& here) const {
    if (!in_turn_ || pinned_ != pinned || in_turn_->kernel_times().size() < 2 * rounds_in_turn)
        return std::nullopt;
    const Experiment& last = in_turn_->request().experiment;
    if (!same_settings(last, here) || last.kernel != kernels_.last_good(here)) return std::nullopt;
    InTurn both;
    for (const Summary& times : in_turn_->kernel_times())
        (both.of_pinned.size() == both.of_bench.size() ? both.of_pinned : both.of_bench).push_back(times);
    return both;
}

void BenchRuns::record(Experiment experiment, const lab::Recorded& what, BenchUse use) {
    for (const Job* job : queue_.jobs())
        if (const auto* const run = dynamic_cast<const BenchRun*>(job);
            run && run->request().recorded && run != running())
            queue_.remove(run);
    queue_.remove_all(JobPriority::picture);
    lab::Request recorded = request(std::move(experiment));
    recorded.recorded = what;
    recorded.sampling.measure = false;
    queue_.add(std::make_shared<BenchRun>(std::vector{std::move(recorded)}, use),
               use.for_picture ? JobPriority::picture : JobPriority::bench);
}

void BenchRuns::clear() {
    keep_trial();
    queue_.remove_all(JobPriority::bench);
    queue_.remove_all(JobPriority::picture);
}

void BenchRuns::stop() {
    forget_diagnostics();
    queue_.stop(JobPriority::bench);
}

const BenchRun* BenchRuns::trial() const {
    return is_compiling() && !queue_.is_stopping(running()) ? running() : nullptr;
}

template <class Condition>
bool BenchRuns::any(const Condition& condition) const {
    return std::ranges::any_of(queue_.jobs(), [&](const Job* job) {
        const auto* const run = dynamic_cast<const BenchRun*>(job);
        return run && condition(*run);
    });
}

bool BenchRuns::is_recording() const {
    return any([](const BenchRun& run) { return run.request().recorded.has_value(); });
}

bool BenchRuns::is_measuring() const {
    return any([](const BenchRun& run) { return !run.request().recorded; });
}

/// Runs that were started together must not be separated, and a trace that the user requested has priority.
bool BenchRuns::holds_up_compiling() const {
    const BenchRun* const run = running();
    return queue_.count(JobPriority::bench) > 1 ||
           (run && (!run->is_single() || (run->request().recorded && !run->use().for_picture)));
}

void BenchRuns::keep_trial() {
    if (const BenchRun* const given_up = trial()) kernels_.make_due(given_up->request().experiment);
}

void BenchRuns::forget_diagnostics() {
    if (!running() || !running()->request().experiment.kernel) return;
    const Experiment& tried = running()->request().experiment;
    KernelEdit* const edit = kernels_.find(tried);
    if (edit && edit->state == KernelState::untried && edit->source == *tried.kernel)
        edit->diagnostics.clear();
}

}  // namespace gridstride
