// The part of the session that knows about recordings: a run of its own, in no table of runs.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "lesson/recorded_metrics.h"
#include "present/verdict_words.h"
#include "session/recording.h"
#include "session/session.h"

namespace gridstride {

namespace {

/// Empty: it was recorded.
std::string why_no_recording(const Report& run) {
    if (run.trace) return run.trace->reason;
    if (run.message.empty()) return "This run was not recorded. Record it again.";
    const bool given_up = run.status == Status::stopped || run.status == Status::lost;
    return given_up ? run.message + " Record it again." : message_in_words(run);
}

}  // namespace

std::vector<RecordedMetric> numbers_of_recording(const Report& report) {
    const std::string why = why_no_recording(report);
    return why.empty() ? report.recorded : without_values(why);
}

TakenRecording taken_apart(Report report) {
    std::vector<trace::Finding> findings = std::exchange(report.findings, {});
    TakenRecording made{.report = std::make_shared<const Report>(std::move(report))};
    const Report& run = *made.report;
    made.problem = why_no_recording(run);
    if (made.problem.empty() && !run.trace->words)
        made.problem = "Its records did not come along. Record it again.";
    if (!made.problem.empty()) return made;
    try {
        made.records = trace::records_of(*run.trace);
        made.findings = std::move(findings);
        if (!trace::are_there(made.findings, run.trace->sites.size(), made.records.size()))
            made.problem = "Its findings are about records that are not there. Record it again.";
        else
            made.race_partners = trace::race_partners(*run.trace, made.records);
    } catch (const std::runtime_error& error) {
        made.problem = error.what();
    }
    return made;
}

void Session::record(const lab::Recorded& what) {
    if (!device_ || !valid() || asks_first()) return;
    forget_refused_text();
    std::erase_if(queue_, [](const Queued& queued) { return queued.recorded.has_value(); });
    Queued queued{.experiment = on_bench(), .recorded = what};
    const KernelEdit* edit = kernel_edit();
    queued.trial = edit && edit->state != KernelState::good;
    queue_.push_back(std::move(queued));
    submit_next();
    changed();
}

void Session::record_for_picture(std::uint32_t launch) {
    const bool busy = in_flight() || sweep_state() == SweepState::running || client_.busy();
    if (!device_ || !no_device_.empty() || !valid() || busy) return;
    // What is being typed is of no run yet, and what did not come to a result is not tried again.
    if (const KernelEdit* edit = kernel_edit(); edit && edit->last_good != edit->source) return;
    if (!asks_first() && (!report_ || stale_ || !report_->measured())) return;
    const bool fits = recording_ && !recording_is_old() &&
                      (!recording_->problem.empty() || recording_->trace().launch_number == launch);
    if (fits) return;
    submit({.experiment = on_bench(), .recorded = lab::Recorded{.launch = launch}, .for_picture = true});
}

bool Session::is_recording() const {
    const auto records = [](const Queued& queued) { return queued.recorded.has_value(); };
    return taking_apart_.busy() || (in_flight_ && records(in_flight_->queued)) ||
           std::ranges::any_of(queue_, records);
}

bool Session::is_measuring() const {
    const auto measures = [](const Queued& queued) { return !queued.recorded; };
    return (in_flight_ && measures(in_flight_->queued)) || std::ranges::any_of(queue_, measures);
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

void Session::take_recording(const Queued& asked_for, Report report) {
    // What was there before is still right, but for a picture, which would ask again.
    if (report.status == Status::stopped && !asked_for.for_picture) return;
    // One that could not travel whole comes back without the kernel's text.
    report.experiment = asked_for.experiment;
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
