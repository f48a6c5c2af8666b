#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "lesson/user_data.h"
#include "present/compare.h"
#include "present/verdict_words.h"

namespace gridstride {

namespace {

/// A question that was undecided is measured for so long, each run.
constexpr double seconds_of_measuring_on = 5;

constexpr std::size_t rounds_in_turn = 3;

}  // namespace

Session::Session(lab::Client& client, std::string language, std::function<KernelClock::time_point()> now)
    : client_(client), now_(std::move(now)), language_(std::move(language)) {}

void Session::changed() {
    ++revision_;
}

void Session::open(const Lesson& lesson, std::size_t step) {
    if (lesson_ != &lesson) {
        stop_sweep();
        forget_recording();
    }
    lesson_ = &lesson;
    // Its question is of another story, or of this one before its file was changed.
    if (in_flight_) in_flight_->queued.prediction.reset();
    read_story();
    drop_what_does_not_fit();
    report_.reset();
    bench_.input = {};
    input_path_.clear();
    queue_.clear();
    read_kept_tuned();
    go_to_step(std::min(step, story_.steps.size() - 1));
}

/// A mistake of a story must not end the window: its writer mends it and opens the lesson again.
void Session::read_story() {
    story_problem_.clear();
    try {
        story_ = load_story(*lesson_, language_);
        // Every step can be entered from now on.
        experiment_of_step(*lesson_, story_, story_.steps.size() - 1);
        return;
    } catch (const StoryError& error) {
        story_problem_ = error.what();
    } catch (const FileError& error) {
        story_problem_ = error.what();
    }
    story_ = {};
    story_.title = lesson_->title;
    story_.steps.push_back({lesson_->title, {}});
}

void Session::go_to_step(std::size_t step) {
    step_ = std::min(step, story_.steps.size() - 1);
    note_place();
    keep_trial();
    put_on_bench(experiment_of_step(*lesson_, story_, step_));
    stop();
    making_.reset();
    if (in_flight_) {  // given up: what was asked is open again
        in_flight_->queued.prediction.reset();
        in_flight_->queued.for_picture = false;
    }
    examine_bench();
    hold_back();
    run_settled();
}

/// A file of the person's own stays.
void Session::put_on_bench(Experiment experiment) {
    experiment.input = std::move(bench_.input);
    bench_ = std::move(experiment);
}

void Session::use_experiment(Experiment experiment) {
    experiment.kernel.reset();
    put_on_bench(std::move(experiment));
    bench_changed();
}

void Session::set_variant(std::string_view id) {
    bench_.variant = id;
    bench_changed();
}

void Session::set_value(std::string_view id, Value value) {
    bench_.values.set(id, value);
    bench_changed();
}

UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice, FileProgress* progress) {
    Experiment with_file{
        .lesson = lesson.id, .values = values, .input = read_user_data(path, lesson, choice, progress)};
    if (progress) progress->advance(0);
    take_count_of_input(lesson, with_file);
    // The lesson says now what does not fit, not at the next run.
    lesson.input_from_user(with_file.input, with_file.values);
    return std::move(with_file.input);
}

void Session::use_input(const Lesson& lesson, UserData data, const std::string& path) {
    if (&lesson != lesson_)
        throw Refusal(
            fmt::format("{} was read for {}, which is no longer open. Open it again.", data.name, lesson.id));
    bench_.input = std::move(data);
    input_path_ = path;
    take_count_of_input(lesson, bench_);
    bench_changed();
}

void Session::use_lesson_input() {
    bench_.input = {};
    input_path_.clear();
    bench_changed();
}

void Session::set_text(const Parameter& parameter, std::string_view text) {
    try {
        set_value(parameter.id, parse(parameter, text, device_));
    } catch (const Refusal& refused) {
        // The control shows the last good value again, and that is what runs.
        forget_refused_text();
        remarks_.insert(remarks_.begin(), {Severity::refusal, parameter.id, refused.what()});
        text_refused_ = true;
        changed();
    }
}

void Session::forget_refused_text() {
    if (!text_refused_) return;
    remarks_.erase(remarks_.begin());
    text_refused_ = false;
    changed();
}

void Session::bench_changed() {
    stop_judging();
    examine_bench();
    run_settled();
}

void Session::examine_bench() {
    changed();
    stale_ = report_ != nullptr;
    remarks_.clear();
    text_refused_ = false;
    asked_.reset();
    if (!device_) return;
    // What a kernel is to find does not depend on it.
    asked_ = std::make_shared<const Prepared>(
        prepare(*lesson_, lesson_->has_programs() ? settled() : bench_, *device_));
    bench_ = asked_->experiment;
    bench_.kernel.reset();
    remarks_ = asked_->remarks;
}

void Session::examine_program() {
    if (asked_ && lesson_->has_programs() && asked_->experiment.kernel != settled_kernel()) examine_bench();
}

void Session::run() {
    const KernelEdit* edit = kernel_edit();
    const bool tries = edit && edit->state != KernelState::good;
    if (!device_ || !(tries ? may_try() : valid())) return;
    forget_refused_text();
    forget_queue();
    if (tries)
        try_kernel(true);
    else
        submit({.experiment = settled()});
}

/// What was queued was for other values; a prediction that waits on it is open again.
void Session::forget_queue() {
    for (auto& [key, prediction] : learned_.predictions)
        prediction.running = prediction.measuring_on = false;
    deciding_.clear();
    recorded_.clear();
    queue_.clear();
}

void Session::run_all_variants() {
    if (!may_run()) return;
    forget_refused_text();
    for (const Variant& variant : lesson_->variants) {
        if (variant.id == bench_.variant) continue;
        queue_.push_back({.experiment = bench_, .keep_bench = true});
        queue_.back().experiment.variant = variant.id;
    }
    queue_.push_back({.experiment = settled()});
    submit_next();
    changed();
}

void Session::measure_ceilings() {
    if (!may_run()) return;
    forget_queue();
    submit({.experiment = settled(), .measures_ceilings = true});
}

void Session::measure_in_turn() {
    if (!pinned_ || !may_run()) return;
    Experiment pinned = pinned_->report.experiment;
    if (pinned.kernel || other_work(settled(), pinned)) return;
    pinned.input = bench_.input;
    forget_refused_text();
    forget_queue();
    in_turn_ = InTurn{.pinned = pinned_, .here = settled()};
    for (std::size_t round = 0; round < rounds_in_turn; ++round) {
        queue_.push_back({.experiment = pinned, .keep_bench = true, .in_turn = &InTurn::of_pinned});
        queue_.push_back({.experiment = settled(), .in_turn = &InTurn::of_bench});
    }
    submit_next();
    changed();
}

const Session::InTurn* Session::in_turn() const {
    const bool done = in_turn_ && in_turn_->pinned == pinned_ &&
                      in_turn_->of_pinned.size() == rounds_in_turn &&
                      in_turn_->of_bench.size() == rounds_in_turn && same_settings(in_turn_->here, bench_) &&
                      in_turn_->here.kernel == settled_kernel();
    return done ? &*in_turn_ : nullptr;
}

void Session::stop() {
    forget_queue();
    if (in_flight_) {
        forget_diagnostics_of_flight();
        in_flight_->stopped = true;
        client_.cancel();
    }
    stop_judging();
    changed();
}

void Session::submit(Queued queued) {
    lab::Request request;
    request.id = next_request_++;
    request.experiment = queued.experiment;
    request.measure_ceilings = queued.measures_ceilings;
    request.sampling.first_quickly = true;
    request.sampling.samples = samples_;
    request.recorded = queued.recorded;
    request.sampling.measure = !queued.recorded;
    if (queued.measures_on) {
        request.sampling.budget_seconds = seconds_of_measuring_on;
        request.sampling.whole_budget = true;
    }
    const bool same_text =
        in_flight_ && queued.trial && in_flight_->queued.experiment.kernel == queued.experiment.kernel;
    if (!same_text) keep_trial();
    if (sweep_) sweep_->put_back();
    if (making_) making_->put_back();
    in_flight_ = InFlight{request.id, std::move(queued), false, false, now_()};
    client_.submit(std::move(request));
    changed();
}

void Session::submit_next() {
    if (in_flight_ || queue_.empty()) return;
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    submit(std::move(next));
}

bool Session::pump() {
    if (!no_device_.empty()) return false;
    const std::uint64_t before = revision_;
    try {
        if (!device_ && (device_ = client_.limits_if_ready())) {
            learned_.belongs_to(device_->device_name);
            examine_bench();
            run_settled();
        }
        while (std::optional<Report> report = client_.poll()) {
            if (making_ && making_->take(*report))
                changed();
            else if (!sweep_ || !sweep_->take(*report))
                take(std::move(*report));
        }
    } catch (const NoDevice& error) {
        no_device_ = error.what();
        forget_diagnostics_of_flight();
        in_flight_.reset();
        queue_.clear();
        making_.reset();
        if (sweep_) {
            sweep_->put_back();
            sweep_->stop();
        }
        changed();
    }
    pump_recording();
    pump_tuned();
    submit_next();
    if (seconds_until_compile() <= 0) try_kernel(false);
    submit_next_of_making();
    submit_next_cell();
    return revision_ != before;
}

void Session::take(Report report) {
    // An answer to a request that a newer one has replaced: the bench shows other values by now.
    if (!in_flight_ || report.request != in_flight_->id) return;
    changed();
    in_flight_->answered = true;
    const InFlight flight = *in_flight_;
    const Queued& queued = flight.queued;
    const Experiment& asked = queued.experiment;
    const bool gave_up = report.status == Status::stopped && report.diagnostics.empty();
    const bool compiles =
        !asked.kernel || gave_up || judge(edit_of(asked), *asked.kernel, report, queued.trial);
    examine_program();
    if (queued.recorded) {
        if (!report.final) return;
        in_flight_.reset();
        if (queued.prediction) recorded_ = numbers_of_recording(report);
        if (asked.lesson == lesson_->id) take_recording(queued, std::move(report));
        return;
    }
    if (!compiles) {
        in_flight_.reset();
        after_failed_compile(queued.run_anyway || !queued.trial);
        return;
    }
    if (report.final) {
        in_flight_.reset();
        if (queued.prediction) report.recorded = std::exchange(recorded_, {});
        const HistoryEntry& run = add_run(report);
        if (queued.prediction) finish_prediction(*queued.prediction, run);
        if (queued.in_turn && in_turn_ && run.report.measured())
            (*in_turn_.*queued.in_turn).push_back(run.report.timings.kernel.summary());
    }
    const bool for_bench = same_settings(asked, bench_);
    if (asked.lesson == lesson_->id && (!queued.keep_bench || for_bench)) {
        report_ = std::make_shared<const Report>(std::move(report));
        stale_ = !for_bench;
    }
}

HistoryEntry& Session::add_run(Report report) {
    report.drop_arrays();
    std::string parameters = parameters_in_words(report);
    if (parameters.size() > longest_parameters_.size()) longest_parameters_ = std::move(parameters);
    const double kernel_ns = report.timings.kernel.median().value_or(0);
    if (report.status == Status::ok && kernel_ns > 0) {
        const auto [best, is_first] = best_kernel_ns_.try_emplace(report.experiment.lesson, kernel_ns);
        if (!is_first) best->second = std::min(best->second, kernel_ns);
    }
    history_->push_back({history_->size() + 1, std::move(report), kernel_ns});
    return history_->back();
}

double Session::best_kernel_ns(const std::string& lesson) const {
    const auto best = best_kernel_ns_.find(lesson);
    return best == best_kernel_ns_.end() ? 0 : best->second;
}

const HistoryEntry* Session::selected() const {
    return selected_ || history_->empty() ? selected_ : &history_->back();
}

void Session::pin(std::uint64_t number) {
    const HistoryEntry* const run = &history_->at(number - 1);
    pinned_ = pinned_ == run ? nullptr : run;
    changed();
}

Reports Session::all_reports() const {
    Reports all;
    for (const HistoryEntry& entry : *history_)
        all.push_back(shared_run(entry));
    all.insert(all.end(), earlier_sweeps_.begin(), earlier_sweeps_.end());
    const Reports newest = sweep_reports();
    all.insert(all.end(), newest.begin(), newest.end());
    return all;
}

}  // namespace gridstride
