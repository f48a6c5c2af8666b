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

constexpr std::size_t rounds_in_turn = 3;

}  // namespace

Session::Session(lab::Client& client, std::string language, std::function<KernelClock::time_point()> now)
    : client_(client), now_(now), language_(std::move(language)), queue_(client, std::move(now)) {}

void Session::changed() {
    ++revision_;
}

void Session::open(const Lesson& lesson, std::size_t step) {
    if (lesson_ != &lesson) {
        stop_sweep();
        forget_recording();
    }
    lesson_ = &lesson;
    read_story();
    drop_what_does_not_fit();
    report_.reset();
    bench_.input = {};
    input_path_.clear();
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
    step_variant_ = bench_.variant;
    stop_bench();
    queue_.remove_all(JobPriority::picture);
    stop_judging();
    exercise_.reset();
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
    if (tries)
        try_kernel(true);
    else
        run_now(bench_run(settled()));
}

lab::Sampling Session::sampling() const {
    return {.samples = samples_, .first_quickly = true};
}

std::shared_ptr<BenchRun> Session::bench_run(Experiment experiment, BenchUse use) const {
    return std::make_shared<BenchRun>(
        lab::Request{.experiment = std::move(experiment), .sampling = sampling()}, use);
}

/// In place of the bench's other runs.
void Session::run_now(std::shared_ptr<BenchRun> run) {
    const BenchRun* const other = running_trial();
    const bool same_text =
        other && run->use().trial && other->request().experiment.kernel == run->request().experiment.kernel;
    if (same_text) queue_.remove(other);
    clear_bench();
    queue_.add(std::move(run), JobPriority::bench);
    changed();
}

/// Something newer takes the place of what runs for the bench.
void Session::clear_bench() {
    keep_trial();
    queue_.remove_all(JobPriority::bench);
    queue_.remove_all(JobPriority::picture);
}

void Session::run_all_variants() {
    if (!may_run()) return;
    forget_refused_text();
    for (const Variant& variant : lesson_->variants) {
        if (variant.id == bench_.variant) continue;
        Experiment other = bench_;
        other.variant = variant.id;
        if (hides(other)) continue;
        queue_.add(bench_run(std::move(other), {.keep_bench = true}), JobPriority::bench);
    }
    queue_.add(bench_run(settled()), JobPriority::bench);
    changed();
}

void Session::measure_ceilings() {
    if (!may_run()) return;
    lab::Request request{.experiment = settled(), .sampling = sampling(), .measure_ceilings = true};
    run_now(std::make_shared<BenchRun>(std::move(request), BenchUse{}));
}

void Session::measure_in_turn() {
    if (!pinned_ || !may_run()) return;
    Experiment pinned = pinned_->report.experiment;
    if (pinned.kernel || hides(pinned) || other_work(settled(), pinned)) return;
    pinned.input = bench_.input;
    forget_refused_text();
    clear_bench();
    in_turn_ = InTurn{.pinned = pinned_, .here = settled()};
    for (std::size_t round = 0; round < rounds_in_turn; ++round) {
        queue_.add(bench_run(pinned, {.keep_bench = true, .in_turn = InTurnOf::pinned}), JobPriority::bench);
        queue_.add(bench_run(settled(), {.in_turn = InTurnOf::bench}), JobPriority::bench);
    }
    changed();
}

const Session::InTurn* Session::in_turn() const {
    const bool done = in_turn_ && in_turn_->pinned == pinned_ &&
                      in_turn_->of_pinned.size() == rounds_in_turn &&
                      in_turn_->of_bench.size() == rounds_in_turn && same_settings(in_turn_->here, bench_) &&
                      in_turn_->here.kernel == settled_kernel();
    return done ? &*in_turn_ : nullptr;
}

void Session::stop_bench() {
    forget_diagnostics();
    queue_.stop(JobPriority::bench);
}

void Session::stop() {
    stop_bench();
    queue_.stop(running());
    for (const std::size_t block : questions_of(story_.steps[step_]))
        queue_.stop(question_job(block));
    if (queue_.running_priority() == JobPriority::question) queue_.stop(queue_.running());
    stop_judging();
    finish_questions();
    changed();
}

void Session::stop_job(const Job* job) {
    queue_.stop(job);
    finish_questions();
    changed();
}

const BenchRun* Session::running() const {
    return dynamic_cast<const BenchRun*>(queue_.running());
}

bool Session::in_flight() const {
    return queue_.holds(JobPriority::bench) || queue_.holds(JobPriority::question) ||
           queue_.holds(JobPriority::exercise) || queue_.holds(JobPriority::picture) || taking_apart_.busy();
}

bool Session::pump() {
    if (!no_device_.empty()) return false;
    const std::uint64_t before = revision_;
    try {
        if (!device_ && (device_ = client_.limits_if_ready())) {
            learned_.belongs_to(device_->device_name);
            examine_bench();
            run_settled();
            start_pending_questions();
        }
        while (std::optional<JobQueue::Answer> answer = queue_.poll())
            take(std::move(*answer));
        queue_.submit_next();
    } catch (const NoDevice& error) {
        no_device_ = error.what();
        forget_diagnostics();
        queue_.stop_all();
        questions_.clear();
        exercise_.reset();
        changed();
    }
    pump_recording();
    pump_tuned();
    if (seconds_until_compile() <= 0) try_kernel(false);
    return revision_ != before;
}

void Session::take(JobQueue::Answer answer) {
    if (answer.job == sweep_) return;
    changed();
    if (answer.job == exercise_) {
        if (answer.finished) note_made();
    } else if (const auto* const run = dynamic_cast<const BenchRun*>(answer.job.get())) {
        take_of_bench(*run, answer);
    } else {
        const auto question = std::ranges::find(questions_, answer.job, &KeyedQuestion::second);
        if (question != questions_.end()) take_of_question(*question, answer);
    }
}

void Session::take_of_bench(const BenchRun& run, JobQueue::Answer& answer) {
    const Experiment& asked = answer.request.experiment;
    Report& report = answer.report;
    const bool gave_up = report.status == Status::stopped && report.diagnostics.empty();
    const bool compiles =
        !asked.kernel || gave_up || judge(edit_of(asked), *asked.kernel, report, run.use().trial);
    examine_program();
    if (answer.request.recorded) {
        // What was there before is still right, but for a picture, which would ask again.
        const bool is_kept = report.status == Status::stopped && !run.use().for_picture;
        if (report.final && asked.lesson == lesson_->id && !is_kept) take_recording(asked, std::move(report));
        return;
    }
    if (!compiles) {
        queue_.remove(&run);
        return after_failed_compile(run.use().run_anyway || !run.use().trial);
    }
    if (report.final) {
        const HistoryEntry& entry = add_run(report);
        if (run.use().in_turn != InTurnOf::neither && in_turn_ && entry.report.measured())
            (run.use().in_turn == InTurnOf::pinned ? in_turn_->of_pinned : in_turn_->of_bench)
                .push_back(entry.report.timings.kernel.summary());
    }
    if (!run.use().keep_bench || same_settings(asked, bench_)) show_on_bench(std::move(report));
}

void Session::show_on_bench(Report report) {
    if (report.experiment.lesson != lesson_->id) return;
    stale_ = !same_settings(report.experiment, bench_);
    report_ = std::make_shared<const Report>(std::move(report));
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
