// The part of the session that knows about recordings: a run of its own, in no table of runs.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "jobs/recording.h"
#include "lesson/recorded_metrics.h"
#include "present/verdict_words.h"
#include "session/session.h"

namespace gridstride {

void Session::record(const lab::Recorded& what) {
    if (!device_ || !valid() || hides(on_bench())) return;
    forget_refused_text();
    for (const Job* job : queue_.jobs())
        if (const auto* const run = dynamic_cast<const BenchRun*>(job);
            run && run->request().recorded && run != running())
            queue_.remove(run);
    const KernelEdit* edit = kernel_edit();
    queue_.remove_all(JobPriority::picture);
    queue_.add(recording_run(what, {.trial = edit && edit->state != KernelState::good}), JobPriority::bench);
    changed();
}

std::shared_ptr<BenchRun> Session::recording_run(const lab::Recorded& what, BenchUse use) const {
    lab::Request request{.experiment = on_bench(), .sampling = sampling(), .recorded = what};
    request.sampling.measure = false;
    return std::make_shared<BenchRun>(std::move(request), use);
}

void Session::record_for_picture(std::uint32_t launch) {
    const bool busy = !queue_.empty() || taking_apart_.busy() || client_.busy();
    if (!device_ || !no_device_.empty() || !valid() || busy) return;
    // What is being typed is of no run yet, and what did not come to a result is not tried again.
    if (const KernelEdit* edit = kernel_edit(); edit && edit->last_good != edit->source) return;
    if (!hides(on_bench()) && (!report_ || stale_ || !report_->measured())) return;
    const bool fits = recording_ && !recording_is_old() &&
                      (!recording_->problem.empty() || recording_->trace().launch_number == launch);
    if (fits) return;
    queue_.add(recording_run({.launch = launch}, {.for_picture = true}), JobPriority::picture);
    changed();
}

bool Session::is_recording() const {
    return taking_apart_.busy() || std::ranges::any_of(queue_.jobs(), [](const Job* job) {
               const auto* const run = dynamic_cast<const BenchRun*>(job);
               return run && run->request().recorded;
           });
}

bool Session::is_measuring() const {
    return queue_.holds(JobPriority::question) || std::ranges::any_of(queue_.jobs(), [](const Job* job) {
               const auto* const run = dynamic_cast<const BenchRun*>(job);
               return run && !run->request().recorded;
           });
}

bool Session::recording_is_old() const {
    if (!recording_) return false;
    // Asked in each frame: a kernel's text is compared, and not copied.
    const Experiment& recorded = recording_->experiment();
    const KernelEdit* edit = kernel_edit();
    const bool same_kernel = edit ? recorded.kernel == edit->source : recorded.kernel == bench_.kernel;
    return !same_kernel || !same_settings(recorded, bench_);
}

/// With the person's own kernel as it stands in the editor.
Experiment Session::on_bench() const {
    Experiment shown = bench_;
    if (const KernelEdit* edit = kernel_edit()) shown.kernel = edit->source;
    return shown;
}

void Session::take_recording(Experiment experiment, Report report) {
    // One that could not travel whole comes back without the kernel's text.
    report.experiment = std::move(experiment);
    auto recorded = std::make_shared<Report>(std::move(report));
    taking_apart_.start([this, recorded](FileProgress&) -> FileWork::Then {
        auto made = std::make_shared<const TakenRecording>(taken_apart(std::move(*recorded)));
        return [this, made] { keep_recording(made); };
    });
}

void Session::keep_recording(std::shared_ptr<const TakenRecording> recording) {
    recording_ = std::move(recording);
    changed();
}

void Session::forget_recording() {
    taking_apart_.give_up();
    recording_.reset();
}

void Session::pump_recording() {
    const std::optional<std::string> problem = taking_apart_.take();
    if (!problem || problem->empty()) return;
    keep_recording(std::make_shared<const TakenRecording>(TakenRecording{
        .report = std::make_shared<const Report>(Report{.experiment = on_bench()}), .problem = *problem}));
}

}  // namespace gridstride
