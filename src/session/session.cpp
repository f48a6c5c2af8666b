#include "session/session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "present/compare.h"

namespace gridstride {

namespace {

bool has_question(const StoryStep& step, const std::string& id) {
    return std::ranges::any_of(question_blocks(step),
                               [&](std::size_t block) { return get_question(step, block).id == id; });
}

void read_guess(Prediction& prediction) {
    prediction.answer.guess = parse_number<double>(remove_spaces(prediction.guess_text));
    if (prediction.answer.guess && !std::isfinite(*prediction.answer.guess)) prediction.answer.guess.reset();
}

}  // namespace

UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice, FileProgress* progress) {
    Experiment experiment{
        .lesson = lesson.id, .values = values, .input = read_user_data(path, lesson, choice, progress)};
    if (progress) progress->advance(0);
    apply_input_extent(lesson, experiment);
    // Reports an input that does not fit now, instead of at the next run.
    lesson.input_from_user(experiment.input, experiment.values);
    return std::move(experiment.input);
}

Session::Session(lab::Client& client, std::string language, std::function<KernelClock::time_point()> now)
    : client_(client), queue_(client, now), language_(std::move(language)), kernels_(std::move(now)) {}

void Session::set_wake(const std::function<void()>& wake) {
    traces_.set_wake(wake);
    tuned_.set_wake(wake);
}

void Session::open(const CourseEntry& entry, std::size_t step) {
    if (!entry_ || entry_->lesson != entry.lesson) {
        stop_sweep();
        traces_.clear();
    }
    entry_ = &entry;
    read_story();
    if (story_problem_.empty()) progress_.drop_unfit(entry, story_);
    report_.reset();
    bench_.use_lesson_input();
    tuned_.read();
    go_to_step(std::min(step, story_.steps.size() - 1));
}

void Session::reopen() {
    const CourseEntry* const same_story = find_course_entry(entry_->id);
    const CourseEntry& entry = same_story ? *same_story : *find_course_entry(lesson().id);
    const Lesson& newer = *entry.lesson;
    const Experiment before = bench_.experiment();
    const Experiment step_settings = experiment_of_step(lesson(), story_, step_);
    const std::string step = shown_step().id;
    open(entry, step_);
    if (const auto same = find_step_by_id(entry, step); same && *same != step_) go_to_step(*same);
    Experiment restored = bench_.experiment();
    if (before.variant != step_settings.variant && find_variant(newer, before.variant))
        restored.variant = before.variant;
    for (const auto& [id, value] : before.values.entries()) {
        const bool is_set_by_user = value != step_settings.values.at(id);
        const Parameter* const parameter = find(newer.parameters, id);
        if (is_set_by_user && parameter && matches_type(*parameter, value)) restored.values.set(id, value);
    }
    if (!same_settings(restored, bench_.experiment())) use_experiment(std::move(restored));
}

/// An error in a story must not end the window: the author fixes it and opens the lesson again.
void Session::read_story() {
    story_problem_.clear();
    try {
        story_ = load_story(lesson(), language_, entry_->story);
        // Throws here if any step has an invalid setting, so that every step can be opened later.
        experiment_of_step(lesson(), story_, story_.steps.size() - 1);
        read_stories_[{entry_->lesson, entry_->story}] = story_;
        return;
    } catch (const StoryError& error) {
        story_problem_ = error.what();
    } catch (const FileError& error) {
        story_problem_ = error.what();
    }
    const auto earlier = read_stories_.find({entry_->lesson, entry_->story});
    if (earlier != read_stories_.end()) {
        story_ = earlier->second;
        story_problem_.clear();
        return;
    }
    story_ = {};
    story_.title = entry_->title;
    story_.steps.push_back({entry_->title, {}});
}

void Session::go_to_step(std::size_t step) {
    step_ = std::min(step, story_.steps.size() - 1);
    progress_.mark_step_seen(*entry_, shown_step());
    bench_runs_.requeue_compile();
    bench_.set(experiment_of_step(lesson(), story_, step_));
    step_variant_ = bench_.variant();
    bench_shows_question_ = apply_question_values();
    bench_runs_.stop();
    queue_.remove_all(JobPriority::picture);
    stop_grading();
    exercise_.reset();
    prepare_bench();
    pause_sweep();
    run_bench();
}

void Session::use_experiment(Experiment experiment) {
    bench_.set(std::move(experiment));
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
    if (&lesson != entry_->lesson)
        throw Refusal(
            tr("{} was read for {}, which is no longer open. Open it again.", data.name, lesson.id));
    bench_.set_input(lesson, std::move(data), path);
    bench_changed();
}

void Session::use_lesson_input() {
    bench_.use_lesson_input();
    bench_changed();
}

void Session::bench_changed() {
    stop_grading();
    prepare_bench();
    run_bench();
}

void Session::prepare_bench() {
    changed();
    is_stale_ = report_ != nullptr;
    bench_.prepare(lesson(), device_, kernels_.last_good(bench_.experiment()));
}

void Session::prepare_program() {
    if (bench_.prepared() && lesson().has_programs() &&
        bench_.prepared()->experiment.kernel != kernels_.last_good(bench_.experiment()))
        prepare_bench();
}

std::string Session::lesson_kernel_name() const {
    const std::string file = bench_.prepared() ? bench_.prepared()->kernel_file()
                                               : find_variant(lesson(), bench_.variant())->kernel;
    return file.substr(file.rfind('/') + 1);
}

const KernelEdit* Session::kernel_edit() const {
    return kernels_.find(bench_.experiment());
}

bool Session::shows_other_source() const {
    const KernelEdit* const edit = kernel_edit();
    return report_ && edit && edit->state != KernelState::good && report_->experiment.kernel != edit->source;
}

void Session::edit_kernel(std::string_view text, const KernelFile* file) {
    stop_grading();
    bench_.clear_refused_text();
    kernels_.edit(bench_.experiment(), text, file, lesson_kernel_name());
    changed();
}

void Session::revert_kernel() {
    if (!kernel_edit()) return;
    stop_grading();
    bench_.clear_refused_text();
    kernels_.remove(bench_.experiment());
    prepare_program();
    is_stale_ = report_ && report_->experiment.kernel;
    changed();
    const BenchRun* const running = bench_runs_.running();
    const bool runs_user_kernel = running && running->request().experiment.kernel;
    if (is_stale_ || runs_user_kernel) run_bench();
}

void Session::put_kernel(const KernelSource& source, const std::string& path) {
    stop_grading();
    kernels_.set(bench_.experiment(), source, path);
    changed();
}

void Session::use_kernel(const KernelSource& source, const std::string& path) {
    bench_.clear_refused_text();
    put_kernel(source, path);
}

void Session::mark_kernel_saved(const std::string& path, const std::string& text) {
    const KernelSource source = make_kernel_source(path, text);
    KernelEdit* const edit = kernels_.find(bench_.experiment());
    // A new name or folder changes how the includes resolve.
    if (!edit || edit->source != source) return put_kernel(source, path);
    edit->file = {source, path};
    changed();
}

double Session::seconds_until_compile() const {
    if (bench_runs_.must_delay_compile() || !device_ || !device_problem_.empty() || !bench_.can_compile())
        return std::numeric_limits<double>::infinity();
    return kernels_.seconds_until_due(bench_.experiment());
}

Experiment Session::experiment_to_run() const {
    Experiment experiment_to_run = bench_.experiment();
    experiment_to_run.kernel = kernels_.last_good(experiment_to_run);
    return experiment_to_run;
}

Experiment Session::edited_experiment() const {
    Experiment edited = bench_.experiment();
    if (const KernelEdit* const edit = kernel_edit()) edited.kernel = edit->source;
    return edited;
}

void Session::compile_kernel(bool run_last_good) {
    KernelEdit* const edit = kernels_.find(bench_.experiment());
    if (!edit) return;
    edit->due.reset();
    start(bench_runs_.request(edited_experiment()),
          {.is_first_compile = true, .run_last_good = run_last_good});
}

/// All automatic runs start here, so can_run() protects the open questions.
void Session::run_bench() {
    if (!can_run()) return;
    const KernelEdit* const edit = kernel_edit();
    const BenchRun* const first_compile = bench_runs_.first_compile();
    // Source that is still being compiled is compiled for the new values: it has no errors yet.
    const bool is_compiling_source = edit && first_compile &&
                                     first_compile->request().experiment.variant == bench_.variant() &&
                                     first_compile->request().experiment.kernel == edit->source;
    if (is_compiling_source)
        compile_kernel(true);
    else
        start(bench_runs_.request(experiment_to_run()));
}

void Session::after_failed_compile(bool run_last_good) {
    if (queue_.contains(JobPriority::bench)) return;
    const bool is_shown_already = report_ && report_->is_final && !is_stale_ &&
                                  report_->experiment.kernel == kernels_.last_good(bench_.experiment());
    if (run_last_good || (!is_shown_already && !hides(experiment_to_run())))
        start(bench_runs_.request(experiment_to_run()));
}

void Session::run() {
    const KernelEdit* const edit = kernel_edit();
    const bool needs_compile = edit && edit->state != KernelState::good;
    if (!device_ || !(needs_compile ? bench_.can_compile() : bench_.is_valid())) return;
    bench_.clear_refused_text();
    if (needs_compile)
        compile_kernel(true);
    else
        start(bench_runs_.request(experiment_to_run()));
}

void Session::start(lab::Request request, BenchRunOptions options) {
    bench_runs_.start(std::move(request), options);
    changed();
}

void Session::run_all_variants() {
    if (!can_run()) return;
    bench_.clear_refused_text();
    std::vector<lab::Request> requests;
    for (const Variant& variant : lesson().variants) {
        Experiment other = bench_.experiment();
        other.variant = variant.id;
        if (variant.id != bench_.variant() && !hides(other))
            requests.push_back(bench_runs_.request(std::move(other)));
    }
    requests.push_back(bench_runs_.request(experiment_to_run()));
    bench_runs_.add(std::move(requests));
    changed();
}

void Session::measure_ceilings() {
    if (!can_run()) return;
    lab::Request measured = bench_runs_.request(experiment_to_run());
    measured.measure_ceilings = true;
    start(std::move(measured));
}

void Session::measure_alternately() {
    if (!runs_.pinned() || !can_run()) return;
    Experiment pinned = runs_.pinned()->report.experiment;
    if (pinned.kernel || hides(pinned) || find_work_mismatch(experiment_to_run(), pinned)) return;
    pinned.input = bench_.experiment().input;
    bench_.clear_refused_text();
    bench_runs_.start_alternating(*runs_.pinned(), pinned, experiment_to_run());
    changed();
}

void Session::stop() {
    bench_runs_.stop();
    queue_.stop(bench_runs_.running());
    for (const std::size_t block : question_blocks(shown_step()))
        queue_.stop(question_job(block));
    if (queue_.running_priority() == JobPriority::question) queue_.stop(queue_.running());
    stop_grading();
    questions_.store_outcomes();
    changed();
}

void Session::stop_job(const Job* job) {
    if (job == bench_runs_.running()) bench_runs_.clear_diagnostics();
    queue_.stop(job);
    questions_.store_outcomes();
    changed();
}

bool Session::has_active_jobs() const {
    return queue_.contains(JobPriority::bench) || queue_.contains(JobPriority::question) ||
           queue_.contains(JobPriority::exercise) || queue_.contains(JobPriority::picture) ||
           traces_.is_analyzing();
}

bool Session::is_measuring() const {
    return queue_.contains(JobPriority::question) || bench_runs_.is_measuring();
}

bool Session::pump() {
    if (!device_problem_.empty()) return false;
    const std::uint64_t before = revision();
    try {
        if (!device_ && (device_ = client_.limits_if_ready())) {
            progress_.set_device(device_->device_name);
            if (!device_->is_cpu) bench_shows_question_ = apply_question_values() || bench_shows_question_;
            prepare_bench();
            run_bench();
            start_pending_questions();
        }
        while (std::optional<JobQueue::JobReport> job_report = queue_.poll())
            handle_report(std::move(*job_report));
        queue_.submit_next();
    } catch (const NoDevice& error) {
        device_problem_ = error.what();
        bench_runs_.clear_diagnostics();
        queue_.stop_all();
        questions_.clear_jobs();
        exercise_.reset();
        changed();
    }
    traces_.pump();
    tuned_.pump(sweeps_);
    if (seconds_until_compile() <= 0) compile_kernel(false);
    return revision() != before;
}

void Session::handle_report(JobQueue::JobReport job_report) {
    if (job_report.job.get() == sweeps_.newest()) return;
    changed();
    if (job_report.job == exercise_) {
        if (job_report.is_finished) record_attempt();
    } else if (const auto* const run = dynamic_cast<const BenchRun*>(job_report.job.get())) {
        handle_bench_report(*run, job_report);
    } else if (const ProgressKey* const key = questions_.find_key(job_report.job.get())) {
        handle_question_report(*key, job_report);
    }
}

void Session::handle_bench_report(const BenchRun& run, JobQueue::JobReport& job_report) {
    const Experiment& experiment = job_report.request.experiment;
    Report& report = job_report.report;
    const bool was_cancelled = report.status == Status::stopped && report.diagnostics.empty();
    const bool compiles = !experiment.kernel || was_cancelled ||
                          update_kernel_edit(kernels_.find(experiment), *experiment.kernel, report,
                                             run.options().is_first_compile);
    prepare_program();
    if (job_report.request.trace_options) {
        // A stopped trace keeps the previous one, except for a picture, which would start it again and again.
        const bool keeps_previous = report.status == Status::stopped && !run.options().for_picture;
        if (report.is_final && experiment.lesson == lesson().id && !keeps_previous)
            traces_.analyze(experiment, std::move(report));
        return;
    }
    if (!compiles) {
        queue_.remove(&run);
        return after_failed_compile(run.options().run_last_good || !run.options().is_first_compile);
    }
    if (report.is_final) runs_.add(report);
    if (run.is_single() || same_settings(experiment, bench_.experiment())) show_on_bench(std::move(report));
}

void Session::handle_question_report(const ProgressKey& key, JobQueue::JobReport& job_report) {
    Report& report = job_report.report;
    const Experiment& experiment = job_report.request.experiment;
    const bool is_shown = key.lesson == lesson().id && has_question(shown_step(), key.id);
    if (job_report.request.trace_options) {
        if (report.is_final && is_shown) traces_.analyze(experiment, std::move(report));
    } else {
        if (report.is_final) {
            report.trace_metrics = questions_.job(key)->runs().back().trace_metrics;
            questions_.add_run(key, runs_.add(report));
        }
        if (is_shown || same_settings(experiment, bench_.experiment())) show_on_bench(std::move(report));
    }
    if (job_report.is_finished) questions_.store_outcomes();
}

void Session::show_on_bench(Report report) {
    if (report.experiment.lesson != lesson().id) return;
    is_stale_ = !same_settings(report.experiment, bench_.experiment());
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

SavedSession Session::saved_session() const {
    SavedSession session{.bench = bench_.experiment(),
                         .step = shown_step().id,
                         .input_path = bench_.input_path(),
                         .kernels = kernels_.all()};
    session.bench.input = {};
    if (runs_.pinned()) session.pinned = runs_.pinned()->report.run_id;
    return session;
}

std::vector<std::string> Session::restore(SavedSession session) {
    std::vector<std::string> notes = std::move(session.notes);
    sweeps_.add_earlier(session.sweep_cells);
    for (auto& [key, edit] : session.kernels)
        kernels_.restore(key, std::move(edit));
    changed();
    const Lesson* const lesson = find_lesson(session.bench);
    if (!lesson) return notes;
    const auto entries = course_entries(*lesson);
    const auto story_of_step = std::ranges::find_if(
        entries, [&](const CourseEntry* entry) { return find_step_by_id(*entry, session.step).has_value(); });
    const CourseEntry& entry = story_of_step == entries.end() ? *entries.front() : **story_of_step;
    open(entry, find_step_by_id(entry, session.step).value_or(0));
    for (const Parameter& parameter : lesson->parameters) {
        const Value& value = session.bench.values.at(parameter.id);
        const auto reason = device_ ? refusal(parameter, value, *device_) : std::nullopt;
        if (!reason) continue;
        notes.push_back(tr("A value was left out: {}", *reason));
        session.bench.values.set(parameter.id, parameter.default_value);
    }
    use_experiment(std::move(session.bench));
    if (!session.input_path.empty())
        notes.push_back(tr("Your input {} was on the bench: open it again.", quote_path(session.input_path)));
    return notes;
}

void Session::trace_run(const lab::TraceOptions& what) {
    if (!device_ || !bench_.is_valid() || hides(edited_experiment())) return;
    bench_.clear_refused_text();
    const KernelEdit* const edit = kernel_edit();
    bench_runs_.trace_run(edited_experiment(), what,
                          {.is_first_compile = edit && edit->state != KernelState::good});
    changed();
}

void Session::trace_for_picture(std::uint32_t launch) {
    const bool busy = !queue_.empty() || traces_.is_analyzing() || client_.is_busy();
    if (!device_ || !device_problem_.empty() || !bench_.is_valid() || busy) return;
    // Source that is being typed has no run yet, and a run without a result is not repeated automatically.
    if (const KernelEdit* const edit = kernel_edit(); edit && edit->last_good != edit->source) return;
    if (!hides(edited_experiment()) && (!report_ || is_stale_ || !report_->is_measured())) return;
    const AnalyzedTrace* const newest = traces_.newest().get();
    const bool fits =
        newest && !is_trace_old() && (!newest->problem.empty() || newest->trace().launch_number == launch);
    if (fits) return;
    bench_runs_.trace_run(edited_experiment(), {.launch = launch}, {.for_picture = true});
    changed();
}

bool Session::is_tracing() const {
    return traces_.is_analyzing() || bench_runs_.is_tracing();
}

bool Session::is_trace_old() const {
    if (!traces_.newest()) return false;
    // Called in each frame, so the kernel's source is compared without a copy.
    const Experiment& traced = traces_.newest()->experiment();
    const KernelEdit* const edit = kernel_edit();
    const bool same_kernel = edit ? traced.kernel == edit->source : !traced.kernel;
    return !same_kernel || !same_settings(traced, bench_.experiment());
}

void Session::start_sweep(SweepSpec spec) {
    if (would_reveal_answer(spec))
        throw Refusal(tr("This sweep would answer the question of this step. Answer it first, or skip it."));
    sweeps_.start(std::move(spec), *device_);
}

void Session::resume_sweep() {
    if (sweeps_.newest() && !would_reveal_answer(sweeps_.newest()->spec())) sweeps_.resume();
}

const TunedLaunch* Session::tuned() const {
    return device_ && !kernel_edit() ? tuned_.find(bench_.experiment(), *device_) : nullptr;
}

bool Session::has_tuned_on_bench() const {
    const TunedLaunch* const best = tuned();
    return best && std::ranges::all_of(best->parameters, [&](const std::string& id) {
               return best->experiment.values.at(id) == bench_.values().at(id);
           });
}

void Session::use_tuned() {
    const TunedLaunch& best = *tuned();
    for (const std::string& id : best.parameters)
        bench_.set_value(id, best.experiment.values.at(id));
    bench_changed();
}

Experiment Session::experiment_to_grade(const MakeBlock& make) const {
    Experiment experiment = experiment_of_step(lesson(), story_, step_);
    const KernelEdit* const edit = kernels_.find(experiment);
    if (!make.exercise.empty() && edit) experiment.kernel = edit->source;
    for (const std::string& name : make.parameters_to_find)
        if (name == "variant")
            experiment.variant = bench_.variant();
        else
            experiment.values.set(name, bench_.values().at(name));
    return experiment;
}

void Session::grade_exercise() {
    const MakeBlock* const make = exercise_block();
    if (!make || !device_ || !bench_.is_valid()) return;
    stop_grading();
    run();
    exercise_ = std::make_shared<ExerciseJob>(lesson(), *make, experiment_to_grade(*make),
                                              std::random_device{}(), bench_runs_.samples());
    queue_.add(exercise_, JobPriority::exercise);
    if (!is_grading()) record_attempt();
    changed();
}

/// Called in each frame, so only what the user can change is compared.
bool Session::is_exercise_old() const {
    const MakeBlock* const make = exercise_block();
    if (!exercise_ || !make) return false;
    const Experiment& judged = exercise_->experiment();
    if (!make->exercise.empty()) {
        const auto edit = kernels_.all().find({lesson().id, make->exercise});
        return edit == kernels_.all().end() ? judged.kernel.has_value()
                                            : judged.kernel != edit->second.source;
    }
    return std::ranges::any_of(make->parameters_to_find, [&](const std::string& name) {
        return name == "variant" ? bench_.variant() != judged.variant
                                 : bench_.values().at(name) != judged.values.at(name);
    });
}

void Session::record_attempt() {
    changed();
    progress_.add_attempt(progress_.key(lesson(), exercise_->block().id), exercise_->is_done());
}

void Session::restore_progress(StoryProgress story_progress) {
    progress_.restore(std::move(story_progress));
    if (entry_ && story_problem_.empty()) progress_.drop_unfit(*entry_, story_);
    changed();
}

void Session::reset_progress(const CourseEntry* entry) {
    if (!entry || entry->id == entry_->id) stop();
    questions_.erase(entry);
    progress_.erase(entry);
    pause_sweep();
    changed();
}

/// Returns true if it changed the bench.
bool Session::apply_question_values() {
    const std::optional<std::size_t> block = open_question();
    if (!block || !story_problem_.empty()) return false;
    const PredictBlock question =
        question_for_device(get_question(shown_step(), *block), !device_ || device_->is_cpu);
    const Experiment step_settings = experiment_of_step(lesson(), story_, step_);
    std::vector<Experiment> runs;
    for (const std::vector<Setting>& settings : question.runs) {
        Experiment& run = runs.emplace_back(step_settings);
        for (const Setting& setting : settings)
            apply(lesson(), setting, run);  // a test of the stories reports values that are refused
    }
    if (runs.empty()) return false;
    const Experiment before = bench_.experiment();
    for (const std::string& name : step_controls(shown_step())) {
        const auto has_value_of_bench = [&](const Experiment& run) {
            return name == "variant" ? run.variant == before.variant
                                     : run.values.at(name) == before.values.at(name);
        };
        const bool is_known = name == "variant" || find(lesson().parameters, name);
        if (!is_known || std::ranges::any_of(runs, has_value_of_bench)) continue;
        if (name == "variant")
            bench_.set_variant(runs.front().variant);
        else
            bench_.set_value(name, runs.front().values.at(name));
    }
    return !same_settings(before, bench_.experiment());
}

void Session::show_question_values() {
    if (!apply_question_values()) return;
    bench_shows_question_ = true;
    prepare_bench();
}

bool Session::would_trace_answer() const {
    const std::optional<std::size_t> block = open_question();
    return block && bench_shows_question_ && !measures_time(get_question(shown_step(), *block));
}

bool Session::hides(const Experiment& experiment) const {
    if (experiment.kernel || experiment.lesson != lesson().id) return false;
    return std::ranges::any_of(question_blocks(shown_step()), [&](std::size_t block) {
        const Prediction* const known = progress_.find(question_key(block));
        return !(known && known->is_closed()) &&
               involves_variant(get_question(shown_step(), block), step_variant_, experiment.variant);
    });
}

bool Session::would_reveal_answer(const SweepSpec& spec) const {
    return std::ranges::any_of(spec.variants, [&](const std::string& variant) {
        Experiment cell = spec.base;
        cell.variant = variant;
        if (variant != spec.base.variant) cell.kernel.reset();
        return hides(cell);
    });
}

void Session::pause_sweep() {
    if (sweeps_.newest() && would_reveal_answer(sweeps_.newest()->spec())) stop_sweep();
}

void Session::skip_question(std::size_t block) {
    Prediction& skipped = prediction(block);
    if (skipped.outcome) return;
    questions_.remove(question_key(block));
    skipped.is_pending = false;
    skipped.is_skipped = true;
    skipped.problem.clear();
    changed();
}

void Session::reset_question(std::size_t block) {
    stop();
    questions_.remove(question_key(block));
    prediction(block) = {};
    pause_sweep();
    changed();
}

std::optional<std::size_t> Session::prediction_to_decide() {
    for (const std::size_t block : question_blocks(shown_step())) {
        Prediction& current = prediction(block);
        read_guess(current);
        const bool is_answered = gridstride::is_complete(get_question(shown_step(), block), current.answer);
        if (is_answered && !current.is_closed() && !current.is_pending) return block;
    }
    return std::nullopt;
}

void Session::decide_prediction(std::size_t block) {
    if (!device_) return;
    Prediction& current = prediction(block);
    read_guess(current);
    current.is_skipped = false;
    current.outcome.reset();
    bench_runs_.clear();  // the question's job will show its result on the bench
    start_question(question_key(block), lesson(), story_);
    if (const QuestionJob* const job = question_job(block)) {
        bench_.set(job->experiments().back());
        prepare_bench();
    }
}

void Session::start_question(const ProgressKey& key, const Lesson& lesson, const Story& story) {
    const UserData user_input = &lesson == entry_->lesson ? bench_.experiment().input : UserData();
    questions_.start(key, lesson, story, user_input, bench_runs_.sampling(), device_->is_cpu);
    changed();
}

/// Resumes the questions that were being decided when the program ended.
void Session::start_pending_questions() {
    std::vector<ProgressKey> pending;
    for (const auto& [key, prediction] : progress_.story_progress().predictions)
        if (prediction.is_pending && key.device == device_->device_name && !questions_.job(key))
            pending.push_back(key);
    for (const ProgressKey& key : pending) {
        const CourseEntry* const entry = find_entry_with(key.lesson, key.id);
        try {
            if (entry)
                start_question(
                    key, *entry->lesson,
                    entry == entry_ ? story_ : load_story(*entry->lesson, language_, entry->story));
        } catch (const std::runtime_error&) {
            progress_.at(key).is_pending = false;  // opening the lesson shows the error
        }
    }
}

}  // namespace gridstride
