// The part of the session that knows about questions: what is held back while one is open, what decides it,
// and how far a person has come.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "session/session.h"

namespace gridstride {

namespace {

const PredictBlock& question_in(const Story& story, std::size_t step, std::size_t block) {
    return std::get<PredictBlock>(story.steps[step].blocks[block]);
}

bool is_asked_at(const StoryStep& step, const std::string& id) {
    return std::ranges::any_of(questions_of(step), [&](std::size_t block) {
        return std::get<PredictBlock>(step.blocks[block]).id == id;
    });
}

/// The number in what was typed.
void read_guess(Prediction& prediction) {
    prediction.answer.guess = number_in<double>(without_spaces(prediction.guess_text));
    if (prediction.answer.guess && !std::isfinite(*prediction.answer.guess)) prediction.answer.guess.reset();
}

}  // namespace

// What is known.

LearnedKey Session::prediction_key(std::size_t block) const {
    return learned_key(question_in(story_, step_, block).id);
}

const Prediction* Session::known_prediction(LearnedKey key) const {
    auto found = learned_.predictions.find(key);
    // Until the lab has opened its device, that of last time is assumed.
    if (found == learned_.predictions.end() && !device_) {
        key.device = learned_.device;
        found = learned_.predictions.find(key);
    }
    return found == learned_.predictions.end() ? nullptr : &found->second;
}

Prediction& Session::prediction(std::size_t block) {
    const Prediction* const known = known_prediction(prediction_key(block));
    return learned_.predictions.try_emplace(prediction_key(block), known ? *known : Prediction{})
        .first->second;
}

void Session::restore_learned(Learned learned) {
    learned_ = std::move(learned);
    if (device_) learned_.belongs_to(device_->device_name);
    if (lesson_) drop_what_does_not_fit();
    changed();
}

void Session::drop_what_does_not_fit() {
    if (story_problem_.empty()) drop_unfit_answers(learned_, lesson_->id, story_);
}

void Session::note_place() {
    learned_.seen.insert(learned_key(story_.steps[step_].id));
    note_end(false);
    learned_.lesson = lesson_->id;
}

bool Session::is_noted(const std::set<LearnedKey>& noted, const std::string& lesson,
                       const std::string& id) const {
    return noted.contains({device_name(), lesson, id}) ||
           (!device_ && noted.contains({learned_.device, lesson, id}));
}

StepProgress Session::progress_of(std::size_t step) const {
    StepProgress progress;
    progress.seen = is_noted(learned_.seen, lesson_->id, story_.steps[step].id);
    if (const MakeBlock* const make = made_at(story_.steps[step])) {
        progress.to_make = true;
        progress.made = is_noted(learned_.made, lesson_->id, make->id);
    }
    for (const std::size_t block : questions_of(story_.steps[step])) {
        const Prediction* const known = known_prediction(learned_key(question_in(story_, step, block).id));
        if (known && known->pending)
            ++progress.pending;
        else if (!known || !known->closed())
            ++progress.open;
        else if (!known->outcome)
            ++progress.skipped;
        else if (known->outcome->result == Outcome::Result::undecided)
            ++progress.undecided;
        else
            ++(known->outcome->result == Outcome::Result::right ? progress.right : progress.wrong);
    }
    return progress;
}

LeftAt Session::left_at(const Lesson& lesson) const {
    for (const std::string& device : {device_name(), device_ ? std::string() : learned_.device})
        if (const auto found = learned_.left.find({device, lesson.id}); found != learned_.left.end())
            return found->second;
    return {};
}

const Lesson* Session::left_lesson() const {
    return find_lesson(learned_.lesson);
}

std::size_t Session::seen_of(const Lesson& lesson) const {
    std::size_t seen = 0;
    for (const CourseEntry& entry : course())
        for (const std::string& step : entry.steps)
            if (entry.lesson == &lesson && is_noted(learned_.seen, lesson.id, step)) ++seen;
    return seen;
}

std::size_t Session::pending_of(const Lesson& lesson) const {
    return static_cast<std::size_t>(std::ranges::count_if(learned_.predictions, [&](const auto& one) {
        return one.first.lesson == lesson.id && one.second.pending;
    }));
}

void Session::forget_progress(const Lesson* lesson) {
    if (!lesson || lesson == lesson_) stop();
    for (const auto& [key, question] : questions_)
        if (!lesson || key.lesson == lesson->id) queue_.remove(question.get());
    std::erase_if(questions_,
                  [&](const KeyedQuestion& one) { return !lesson || one.first.lesson == lesson->id; });
    const std::string id = lesson ? lesson->id : std::string();
    learned_.forget(device_name(), id);
    if (!device_) learned_.forget(learned_.device, id);
    if (!lesson) learned_.lesson.clear();
    std::erase_if(decided_by_, [&](const auto& one) { return id.empty() || one.first.lesson == id; });
    hold_back();
    changed();
}

// What is held back.

std::optional<std::size_t> Session::open_question() const {
    for (const std::size_t block : questions_of(story_.steps[step_])) {
        const Prediction* const known = known_prediction(prediction_key(block));
        if (!known || !known->closed()) return block;
    }
    return std::nullopt;
}

bool Session::hides(const Experiment& experiment) const {
    if (experiment.kernel || experiment.lesson != lesson_->id) return false;
    return std::ranges::any_of(questions_of(story_.steps[step_]), [&](std::size_t block) {
        const Prediction* const known = known_prediction(prediction_key(block));
        return !(known && known->closed()) &&
               asks_about(question_in(story_, step_, block), step_variant_, experiment.variant);
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
    if (sweep_ && would_answer(sweep_->spec())) stop_sweep();
}

void Session::skip_question(std::size_t block) {
    Prediction& skipped = prediction(block);
    if (skipped.outcome) return;
    queue_.remove(question_job(block));
    questions_.erase(prediction_key(block));
    skipped.pending = false;
    skipped.skipped = true;
    skipped.problem.clear();
    changed();
}

void Session::ask_again(std::size_t block) {
    stop();
    queue_.remove(question_job(block));
    questions_.erase(prediction_key(block));
    prediction(block) = {};
    decided_by_.erase(prediction_key(block));
    hold_back();
    changed();
}

// What decides.

std::optional<std::size_t> Session::prediction_to_decide() {
    for (const std::size_t block : questions_of(story_.steps[step_])) {
        Prediction& asked = prediction(block);
        read_guess(asked);
        const bool is_answered = answers(question_in(story_, step_, block), asked.answer);
        if (is_answered && !asked.closed() && !asked.pending) return block;
    }
    return std::nullopt;
}

void Session::decide_prediction(std::size_t block) {
    if (!device_) return;
    const LearnedKey key = prediction_key(block);
    Prediction& asked = prediction(block);
    read_guess(asked);
    asked.skipped = false;
    asked.outcome.reset();
    clear_bench();  // which shows what decides, once that has run
    start_question(key, *lesson_, story_);
    const QuestionJob* const job = question_job(block);
    if (!job) return;
    bench_ = job->experiments().back();
    examine_bench();
}

/// It starts from the story's values, not from what the bench was changed to since, but for a file of the
/// person's own.
void Session::start_question(const LearnedKey& key, const Lesson& lesson, const Story& story) {
    Prediction& asked = learned_.predictions[key];
    asked.pending = false;
    asked.problem.clear();
    changed();
    const std::optional<QuestionPlace> place = find_question(story, key.id);
    if (!place) return;
    try {
        Experiment start = experiment_of_step(lesson, story, place->step);
        if (&lesson == lesson_) start.input = bench_.input;
        const auto job = std::make_shared<QuestionJob>(lesson, question_in(story, place->step, place->block),
                                                       start, asked.answer, sampling());
        asked.pending = true;
        decided_by_.erase(key);
        questions_.insert_or_assign(key, job);
        queue_.add(job, JobPriority::question);
    } catch (const Refusal& refused) {
        asked.problem = refused.what();
    }
}

/// What was being decided when the program was closed.
void Session::start_pending_questions() {
    std::vector<LearnedKey> pending;
    for (const auto& [key, prediction] : learned_.predictions)
        if (prediction.pending && key.device == device_->device_name && !questions_.contains(key))
            pending.push_back(key);
    for (const LearnedKey& key : pending) {
        const Lesson* const lesson = find_lesson(key.lesson);
        try {
            if (lesson)
                start_question(key, *lesson, lesson == lesson_ ? story_ : load_story(*lesson, language_));
        } catch (const std::runtime_error&) {
            learned_.predictions[key].pending = false;  // its lesson says what is wrong when it is opened
        }
    }
}

const QuestionJob* Session::question_job(std::size_t block) const {
    const auto found = questions_.find(prediction_key(block));
    return found == questions_.end() ? nullptr : found->second.get();
}

void Session::take_of_question(const KeyedQuestion& question, JobQueue::Answer& answer) {
    const auto& [key, job] = question;
    Report& report = answer.report;
    const Experiment& asked = answer.request.experiment;
    const bool is_seen = key.lesson == lesson_->id && is_asked_at(story_.steps[step_], key.id);
    if (answer.request.recorded) {
        if (report.final && is_seen) take_recording(asked, std::move(report));
    } else {
        if (report.final) {
            report.recorded = job->runs().back().recorded;
            decided_by_[key].push_back(&add_run(report));
        }
        if (is_seen || same_settings(asked, bench_)) show_on_bench(std::move(report));
    }
    if (answer.finished) finish_questions();
}

/// Those whose jobs have left the line.
void Session::finish_questions() {
    std::erase_if(questions_, [&](const KeyedQuestion& question) {
        const auto& [key, job] = question;
        if (queue_.holds(job.get())) return false;
        Prediction& asked = learned_.predictions[key];
        asked.pending = false;
        asked.outcome = job->outcome();
        asked.problem = job->problem();
        std::vector<const HistoryEntry*>& runs = decided_by_[key];
        const std::size_t deciding = asked.outcome ? job->runs().size() : 0;
        runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(deciding));
        return true;
    });
}

std::vector<const HistoryEntry*> Session::deciding_runs(std::size_t block) const {
    const auto found = decided_by_.find(prediction_key(block));
    return found == decided_by_.end() || question_job(block) ? std::vector<const HistoryEntry*>{}
                                                             : found->second;
}

}  // namespace gridstride
