#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "present/compare.h"

namespace gridstride {

namespace {

bool has_question(const StoryStep& step, const std::string& id) {
    return std::ranges::any_of(questions_of(step),
                               [&](std::size_t block) { return question_in(step, block).id == id; });
}

void read_guess(Prediction& prediction) {
    prediction.answer.guess = number_in<double>(without_spaces(prediction.guess_text));
    if (prediction.answer.guess && !std::isfinite(*prediction.answer.guess)) prediction.answer.guess.reset();
}

}  // namespace

UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice, FileProgress* progress) {
    Experiment with_file{
        .lesson = lesson.id, .values = values, .input = read_user_data(path, lesson, choice, progress)};
    if (progress) progress->advance(0);
    take_count_of_input(lesson, with_file);
    // Reports an input that does not fit now, instead of at the next run.
    lesson.input_from_user(with_file.input, with_file.values);
    return std::move(with_file.input);
}

Session::Session(lab::Client& client, std::string language, std::function<KernelClock::time_point()> now)
    : client_(client), queue_(client, now), language_(std::move(language)), kernels_(std::move(now)) {}

void Session::set_wake(const std::function<void()>& wake) {
    recordings_.set_wake(wake);
    tuned_.set_wake(wake);
}

void Session::open(const Lesson& lesson, std::size_t step) {
    if (lesson_ != &lesson) {
        stop_sweep();
        recordings_.forget();
    }
    lesson_ = &lesson;
    read_story();
    if (story_problem_.empty()) answers_.drop_unfit(lesson, story_);
    report_.reset();
    bench_.use_lesson_input();
    tuned_.read();
    go_to_step(std::min(step, story_.steps.size() - 1));
}

/// An error in a story must not end the window: the author fixes it and opens the lesson again.
void Session::read_story() {
    story_problem_.clear();
    try {
        story_ = load_story(*lesson_, language_);
        // Throws here if any step has an invalid setting, so that every step can be opened later.
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
    answers_.note_step(*lesson_, shown_step());
    bench_runs_.keep_trial();
    bench_.put(experiment_of_step(*lesson_, story_, step_));
    step_variant_ = bench_.variant();
    bench_runs_.stop();
    queue_.remove_all(JobPriority::picture);
    stop_judging();
    exercise_.reset();
    prepare_bench();
    hold_back();
    run_settled();
}

void Session::use_experiment(Experiment experiment) {
    bench_.put(std::move(experiment));
    bench_changed();
}

void Session::set_variant(std::string_view id) {
    bench_.set_variant(id);
    bench_changed();
}

void Session::set_value(std::string_view id, Value value) {
    bench_.set_value(id, value);
    bench_changed();
}

void Session::set_text(const Parameter& parameter, std::string_view text) {
    try {
        set_value(parameter.id, parse(parameter, text, device_));
    } catch (const Refusal& refused) {
        // The control shows the last valid value again, which is what runs.
        bench_.refuse_text(parameter.id, refused.what());
        changed();
    }
}

void Session::use_input(const Lesson& lesson, UserData data, const std::string& path) {
    if (&lesson != lesson_)
        throw Refusal(
            fmt::format("{} was read for {}, which is no longer open. Open it again.", data.name, lesson.id));
    bench_.set_input(lesson, std::move(data), path);
    bench_changed();
}

void Session::use_lesson_input() {
    bench_.use_lesson_input();
    bench_changed();
}

void Session::bench_changed() {
    stop_judging();
    prepare_bench();
    run_settled();
}

void Session::prepare_bench() {
    changed();
    stale_ = report_ != nullptr;
    bench_.prepare(*lesson_, device_, kernels_.last_good(bench_.experiment()));
}

void Session::prepare_program() {
    if (bench_.prepared() && lesson_->has_programs() &&
        bench_.prepared()->experiment.kernel != kernels_.last_good(bench_.experiment()))
        prepare_bench();
}

std::string Session::lesson_kernel_name() const {
    const std::string file = bench_.prepared() ? bench_.prepared()->kernel_file()
                                               : find_variant(*lesson_, bench_.variant())->kernel;
    return file.substr(file.rfind('/') + 1);
}

const KernelEdit* Session::kernel_edit() const {
    return kernels_.find(bench_.experiment());
}

bool Session::is_of_another_text() const {
    const KernelEdit* const edit = kernel_edit();
    return report_ && edit && edit->state != KernelState::good && report_->experiment.kernel != edit->source;
}

void Session::edit_kernel(std::string_view text, const KernelFile* file) {
    stop_judging();
    bench_.forget_refused_text();
    kernels_.edit(bench_.experiment(), text, file, lesson_kernel_name());
    changed();
}

void Session::revert_kernel() {
    if (!kernel_edit()) return;
    stop_judging();
    bench_.forget_refused_text();
    kernels_.remove(bench_.experiment());
    prepare_program();
    stale_ = report_ && report_->experiment.kernel;
    changed();
    const BenchRun* const running = bench_runs_.running();
    const bool trying = running && running->request().experiment.kernel;
    if (stale_ || trying) run_settled();
}

void Session::put_kernel(const KernelSource& source, const std::string& path) {
    stop_judging();
    kernels_.put(bench_.experiment(), source, path);
    changed();
}

void Session::use_kernel(const KernelSource& source, const std::string& path) {
    bench_.forget_refused_text();
    put_kernel(source, path);
}

void Session::kernel_saved(const std::string& path, const std::string& text) {
    const KernelSource source = kernel_in_file(path, text);
    KernelEdit* const edit = kernels_.find(bench_.experiment());
    // A new name or folder changes how the includes resolve.
    if (!edit || edit->source != source) return put_kernel(source, path);
    edit->file = {source, path};
    changed();
}

double Session::seconds_until_compile() const {
    if (bench_runs_.holds_up_compiling() || !device_ || !no_device_.empty() || !bench_.can_compile())
        return std::numeric_limits<double>::infinity();
    return kernels_.seconds_until_due(bench_.experiment());
}

Experiment Session::settled() const {
    Experiment settled = bench_.experiment();
    settled.kernel = kernels_.last_good(settled);
    return settled;
}

Experiment Session::as_edited() const {
    Experiment edited = bench_.experiment();
    if (const KernelEdit* const edit = kernel_edit()) edited.kernel = edit->source;
    return edited;
}

void Session::try_kernel(bool run_anyway) {
    KernelEdit* const edit = kernels_.find(bench_.experiment());
    if (!edit) return;
    edit->due.reset();
    start(bench_runs_.request(as_edited()), {.trial = true, .run_anyway = run_anyway});
}

/// All automatic runs start here, so may_run() protects the open questions.
void Session::run_settled() {
    if (!may_run()) return;
    const KernelEdit* const edit = kernel_edit();
    const BenchRun* const trial = bench_runs_.trial();
    // Source that is still being compiled is compiled for the new values: it has no errors yet.
    const bool compiles_it = edit && trial && trial->request().experiment.variant == bench_.variant() &&
                             trial->request().experiment.kernel == edit->source;
    if (compiles_it)
        try_kernel(true);
    else
        start(bench_runs_.request(settled()));
}

void Session::after_failed_compile(bool run_anyway) {
    if (queue_.holds(JobPriority::bench)) return;
    const bool shown_already = report_ && report_->final && !stale_ &&
                               report_->experiment.kernel == kernels_.last_good(bench_.experiment());
    if (run_anyway || (!shown_already && !hides(settled()))) start(bench_runs_.request(settled()));
}

void Session::run() {
    const KernelEdit* const edit = kernel_edit();
    const bool tries = edit && edit->state != KernelState::good;
    if (!device_ || !(tries ? bench_.can_compile() : bench_.valid())) return;
    bench_.forget_refused_text();
    if (tries)
        try_kernel(true);
    else
        start(bench_runs_.request(settled()));
}

void Session::start(lab::Request request, BenchUse use) {
    bench_runs_.start(std::move(request), use);
    changed();
}

void Session::run_all_variants() {
    if (!may_run()) return;
    bench_.forget_refused_text();
    std::vector<lab::Request> requests;
    for (const Variant& variant : lesson_->variants) {
        Experiment other = bench_.experiment();
        other.variant = variant.id;
        if (variant.id != bench_.variant() && !hides(other))
            requests.push_back(bench_runs_.request(std::move(other)));
    }
    requests.push_back(bench_runs_.request(settled()));
    bench_runs_.add(std::move(requests));
    changed();
}

void Session::measure_ceilings() {
    if (!may_run()) return;
    lab::Request measured = bench_runs_.request(settled());
    measured.measure_ceilings = true;
    start(std::move(measured));
}

void Session::measure_in_turn() {
    if (!runs_.pinned() || !may_run()) return;
    Experiment pinned = runs_.pinned()->report.experiment;
    if (pinned.kernel || hides(pinned) || other_work(settled(), pinned)) return;
    pinned.input = bench_.experiment().input;
    bench_.forget_refused_text();
    bench_runs_.start_in_turn(*runs_.pinned(), pinned, settled());
    changed();
}

void Session::stop() {
    bench_runs_.stop();
    queue_.stop(bench_runs_.running());
    for (const std::size_t block : questions_of(shown_step()))
        queue_.stop(question_job(block));
    if (queue_.running_priority() == JobPriority::question) queue_.stop(queue_.running());
    stop_judging();
    questions_.take_outcomes();
    changed();
}

void Session::stop_job(const Job* job) {
    if (job == bench_runs_.running()) bench_runs_.forget_diagnostics();
    queue_.stop(job);
    questions_.take_outcomes();
    changed();
}

bool Session::in_flight() const {
    return queue_.holds(JobPriority::bench) || queue_.holds(JobPriority::question) ||
           queue_.holds(JobPriority::exercise) || queue_.holds(JobPriority::picture) ||
           recordings_.is_taking_apart();
}

bool Session::is_measuring() const {
    return queue_.holds(JobPriority::question) || bench_runs_.is_measuring();
}

bool Session::pump() {
    if (!no_device_.empty()) return false;
    const std::uint64_t before = revision();
    try {
        if (!device_ && (device_ = client_.limits_if_ready())) {
            answers_.set_device(device_->device_name);
            prepare_bench();
            run_settled();
            start_pending_questions();
        }
        while (std::optional<JobQueue::Answer> answer = queue_.poll())
            take(std::move(*answer));
        queue_.submit_next();
    } catch (const NoDevice& error) {
        no_device_ = error.what();
        bench_runs_.forget_diagnostics();
        queue_.stop_all();
        questions_.forget_jobs();
        exercise_.reset();
        changed();
    }
    recordings_.pump();
    tuned_.pump(sweeps_);
    if (seconds_until_compile() <= 0) try_kernel(false);
    return revision() != before;
}

void Session::take(JobQueue::Answer answer) {
    if (answer.job.get() == sweeps_.newest()) return;
    changed();
    if (answer.job == exercise_) {
        if (answer.finished) note_made();
    } else if (const auto* const run = dynamic_cast<const BenchRun*>(answer.job.get())) {
        take_of_bench(*run, answer);
    } else if (const LearnedKey* const key = questions_.key_of(answer.job.get())) {
        take_of_question(*key, answer);
    }
}

void Session::take_of_bench(const BenchRun& run, JobQueue::Answer& answer) {
    const Experiment& experiment = answer.request.experiment;
    Report& report = answer.report;
    const bool gave_up = report.status == Status::stopped && report.diagnostics.empty();
    const bool compiles = !experiment.kernel || gave_up ||
                          judge(kernels_.find(experiment), *experiment.kernel, report, run.use().trial);
    prepare_program();
    if (answer.request.recorded) {
        // A stopped trace keeps the previous one, except for a picture, which would start it again and again.
        const bool is_kept = report.status == Status::stopped && !run.use().for_picture;
        if (report.final && experiment.lesson == lesson_->id && !is_kept)
            recordings_.take_apart(experiment, std::move(report));
        return;
    }
    if (!compiles) {
        queue_.remove(&run);
        return after_failed_compile(run.use().run_anyway || !run.use().trial);
    }
    if (report.final) runs_.add(report);
    if (run.is_single() || same_settings(experiment, bench_.experiment())) show_on_bench(std::move(report));
}

void Session::take_of_question(const LearnedKey& key, JobQueue::Answer& answer) {
    Report& report = answer.report;
    const Experiment& experiment = answer.request.experiment;
    const bool is_seen = key.lesson == lesson_->id && has_question(shown_step(), key.id);
    if (answer.request.recorded) {
        if (report.final && is_seen) recordings_.take_apart(experiment, std::move(report));
    } else {
        if (report.final) {
            report.recorded = questions_.job(key)->runs().back().recorded;
            questions_.add_run(key, runs_.add(report));
        }
        if (is_seen || same_settings(experiment, bench_.experiment())) show_on_bench(std::move(report));
    }
    if (answer.finished) questions_.take_outcomes();
}

void Session::show_on_bench(Report report) {
    if (report.experiment.lesson != lesson_->id) return;
    stale_ = !same_settings(report.experiment, bench_.experiment());
    report_ = std::make_shared<const Report>(std::move(report));
}

Reports Session::all_reports() const {
    Reports all = runs_.reports();
    for (const Reports& more : {sweeps_.earlier_reports(), sweeps_.reports()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

bool Session::has_reports() const {
    return !runs_.all().empty() || !sweeps_.earlier_reports().empty() || sweeps_.has_reports();
}

Work Session::work() const {
    Work work{.bench = bench_.experiment(),
              .step = shown_step().id,
              .input_path = bench_.input_path(),
              .kernels = kernels_.all()};
    work.bench.input = {};
    if (runs_.pinned()) work.pinned = runs_.pinned()->report.run_id;
    return work;
}

std::vector<std::string> Session::restore(Work work) {
    std::vector<std::string> notes = std::move(work.notes);
    sweeps_.add_earlier(work.sweep_cells);
    for (auto& [key, edit] : work.kernels)
        kernels_.restore(key, std::move(edit));
    changed();
    const Lesson* const lesson = find_lesson(work.bench);
    if (!lesson) return notes;
    open(*lesson, step_with_id(*lesson, work.step).value_or(0));
    for (const Parameter& parameter : lesson->parameters) {
        const Value& value = work.bench.values.at(parameter.id);
        const auto why = device_ ? refusal(parameter, value, *device_) : std::nullopt;
        if (!why) continue;
        notes.push_back(fmt::format("A value was left out: {}", *why));
        work.bench.values.set(parameter.id, parameter.default_value);
    }
    use_experiment(std::move(work.bench));
    if (!work.input_path.empty())
        notes.push_back(
            fmt::format("Your input {} was on the bench: open it again.", quoted_path(work.input_path)));
    return notes;
}

void Session::record(const lab::Recorded& what) {
    if (!device_ || !bench_.valid() || hides(as_edited())) return;
    bench_.forget_refused_text();
    const KernelEdit* const edit = kernel_edit();
    bench_runs_.record(as_edited(), what, {.trial = edit && edit->state != KernelState::good});
    changed();
}

void Session::record_for_picture(std::uint32_t launch) {
    const bool busy = !queue_.empty() || recordings_.is_taking_apart() || client_.busy();
    if (!device_ || !no_device_.empty() || !bench_.valid() || busy) return;
    // Source that is being typed has no run yet, and a run without a result is not repeated automatically.
    if (const KernelEdit* const edit = kernel_edit(); edit && edit->last_good != edit->source) return;
    if (!hides(as_edited()) && (!report_ || stale_ || !report_->measured())) return;
    const TakenRecording* const newest = recordings_.newest().get();
    const bool fits = newest && !recording_is_old() &&
                      (!newest->problem.empty() || newest->trace().launch_number == launch);
    if (fits) return;
    bench_runs_.record(as_edited(), {.launch = launch}, {.for_picture = true});
    changed();
}

bool Session::is_recording() const {
    return recordings_.is_taking_apart() || bench_runs_.is_recording();
}

bool Session::recording_is_old() const {
    if (!recordings_.newest()) return false;
    // Called in each frame, so the kernel's source is compared without a copy.
    const Experiment& recorded = recordings_.newest()->experiment();
    const KernelEdit* const edit = kernel_edit();
    const bool same_kernel = edit ? recorded.kernel == edit->source : !recorded.kernel;
    return !same_kernel || !same_settings(recorded, bench_.experiment());
}

void Session::start_sweep(SweepSpec spec) {
    if (would_answer(spec))
        throw Refusal("This sweep would answer the question of this step. Answer it first, or skip it.");
    sweeps_.start(std::move(spec), *device_);
}

void Session::resume_sweep() {
    if (sweeps_.newest() && !would_answer(sweeps_.newest()->spec())) sweeps_.resume();
}

const Tuned* Session::tuned() const {
    return device_ && !kernel_edit() ? tuned_.find(bench_.experiment(), *device_) : nullptr;
}

bool Session::has_tuned_on_bench() const {
    const Tuned* const best = tuned();
    return best && std::ranges::all_of(best->parameters, [&](const std::string& id) {
               return best->experiment.values.at(id) == bench_.values().at(id);
           });
}

void Session::use_tuned() {
    const Tuned& best = *tuned();
    for (const std::string& id : best.parameters)
        bench_.set_value(id, best.experiment.values.at(id));
    bench_changed();
}

Experiment Session::experiment_to_judge(const MakeBlock& make) const {
    Experiment made = experiment_of_step(*lesson_, story_, step_);
    const KernelEdit* const edit = kernels_.find(made);
    if (!make.exercise.empty() && edit) made.kernel = edit->source;
    for (const std::string& name : make.find)
        if (name == "variant")
            made.variant = bench_.variant();
        else
            made.values.set(name, bench_.values().at(name));
    return made;
}

void Session::judge_made() {
    const MakeBlock* const make = to_make();
    if (!make || !device_ || !bench_.valid()) return;
    stop_judging();
    run();
    exercise_ = std::make_shared<ExerciseJob>(*lesson_, *make, experiment_to_judge(*make),
                                              std::random_device{}(), bench_runs_.samples());
    queue_.add(exercise_, JobPriority::exercise);
    if (!is_judging()) note_made();
    changed();
}

/// Called in each frame, so only what the user can change is compared.
bool Session::exercise_is_old() const {
    const MakeBlock* const make = to_make();
    if (!exercise_ || !make) return false;
    const Experiment& judged = exercise_->experiment();
    if (!make->exercise.empty()) {
        const auto edit = kernels_.all().find({lesson_->id, make->exercise});
        return edit == kernels_.all().end() ? judged.kernel.has_value()
                                            : judged.kernel != edit->second.source;
    }
    return std::ranges::any_of(make->find, [&](const std::string& name) {
        return name == "variant" ? bench_.variant() != judged.variant
                                 : bench_.values().at(name) != judged.values.at(name);
    });
}

void Session::note_made() {
    changed();
    if (exercise_->done()) answers_.note_made(answers_.key(*lesson_, exercise_->block().id));
}

void Session::restore_answers(Learned learned) {
    answers_.restore(std::move(learned));
    if (lesson_ && story_problem_.empty()) answers_.drop_unfit(*lesson_, story_);
    changed();
}

void Session::forget_answers(const Lesson* lesson) {
    if (!lesson || lesson == lesson_) stop();
    questions_.forget(lesson);
    answers_.forget(lesson);
    hold_back();
    changed();
}

bool Session::hides(const Experiment& experiment) const {
    if (experiment.kernel || experiment.lesson != lesson_->id) return false;
    return std::ranges::any_of(questions_of(shown_step()), [&](std::size_t block) {
        const Prediction* const known = answers_.find(question_key(block));
        return !(known && known->closed()) &&
               asks_about(question_in(shown_step(), block), step_variant_, experiment.variant);
    });
}

bool Session::would_answer(const SweepSpec& spec) const {
    return std::ranges::any_of(spec.variants, [&](const std::string& variant) {
        Experiment cell = spec.base;
        cell.variant = variant;
        if (variant != spec.base.variant) cell.kernel.reset();
        return hides(cell);
    });
}

void Session::hold_back() {
    if (sweeps_.newest() && would_answer(sweeps_.newest()->spec())) stop_sweep();
}

void Session::skip_question(std::size_t block) {
    Prediction& skipped = prediction(block);
    if (skipped.outcome) return;
    questions_.remove(question_key(block));
    skipped.pending = false;
    skipped.skipped = true;
    skipped.problem.clear();
    changed();
}

void Session::ask_again(std::size_t block) {
    stop();
    questions_.remove(question_key(block));
    prediction(block) = {};
    hold_back();
    changed();
}

std::optional<std::size_t> Session::prediction_to_decide() {
    for (const std::size_t block : questions_of(shown_step())) {
        Prediction& given = prediction(block);
        read_guess(given);
        const bool is_answered = gridstride::answers(question_in(shown_step(), block), given.answer);
        if (is_answered && !given.closed() && !given.pending) return block;
    }
    return std::nullopt;
}

void Session::decide_prediction(std::size_t block) {
    if (!device_) return;
    Prediction& given = prediction(block);
    read_guess(given);
    given.skipped = false;
    given.outcome.reset();
    bench_runs_.clear();  // the question's job will show its result on the bench
    start_question(question_key(block), *lesson_, story_);
    if (const QuestionJob* const job = question_job(block)) {
        bench_.put(job->experiments().back());
        prepare_bench();
    }
}

void Session::start_question(const LearnedKey& key, const Lesson& lesson, const Story& story) {
    const UserData own = &lesson == lesson_ ? bench_.experiment().input : UserData();
    questions_.start(key, lesson, story, own, bench_runs_.sampling());
    changed();
}

/// Resumes the questions that were being decided when the program ended.
void Session::start_pending_questions() {
    std::vector<LearnedKey> pending;
    for (const auto& [key, prediction] : answers_.learned().predictions)
        if (prediction.pending && key.device == device_->device_name && !questions_.job(key))
            pending.push_back(key);
    for (const LearnedKey& key : pending) {
        const Lesson* const lesson = find_lesson(key.lesson);
        try {
            if (lesson)
                start_question(key, *lesson, lesson == lesson_ ? story_ : load_story(*lesson, language_));
        } catch (const std::runtime_error&) {
            answers_.at(key).pending = false;  // opening the lesson shows the error
        }
    }
}

}  // namespace gridstride
