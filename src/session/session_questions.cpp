// The part of the session that knows about questions: what is held back while one is open, what decides it,
// and how far a person has come.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "learned/deciding.h"
#include "session/session.h"

namespace gridstride {

namespace {

const PredictBlock& question_in(const Story& story, std::size_t step, std::size_t block) {
    return std::get<PredictBlock>(story.steps[step].blocks[block]);
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
        if (!known || !known->closed())
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

void Session::forget_progress(const Lesson* lesson) {
    if (!lesson || lesson == lesson_) stop();
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

bool Session::asks_first() const {
    return open_question().has_value();
}

void Session::hold_back() {
    if (asks_first()) stop_sweep();
}

void Session::skip_question(std::size_t block) {
    Prediction& skipped = prediction(block);
    if (skipped.outcome) return;
    if (skipped.running) stop();
    skipped.skipped = true;
    skipped.problem.clear();
    changed();
}

void Session::ask_again(std::size_t block) {
    stop();
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
        if (is_answered && !asked.closed() && !asked.running) return block;
    }
    return std::nullopt;
}

void Session::decide_prediction(std::size_t block) {
    if (!device_) return;
    const LearnedKey key = prediction_key(block);
    Prediction& asked = prediction(block);
    read_guess(asked);
    asked.problem.clear();
    asked.skipped = false;
    asked.outcome.reset();
    forget_queue();
    queue_deciding(key, false);
    if (!asked.running) return;
    // The bench shows what decides, once it has run.
    bench_ = queue_.back().experiment;
    examine_bench();
    keep_trial();
    in_flight_.reset();
    submit_next();
}

void Session::queue_deciding(const LearnedKey& key, bool measures_on) {
    const QuestionPlace place = find_question(story_, key.id).value();
    Prediction& asked = learned_.predictions[key];
    // They start from the story's values, not from what the bench was changed to since, but for a file of the
    // person's own.
    Experiment start = experiment_of_step(*lesson_, story_, place.step);
    start.input = bench_.input;
    try {
        const PredictBlock& question = question_in(story_, place.step, place.block);
        std::size_t run = 0;
        for (Experiment& experiment : deciding_experiments(*lesson_, start, question)) {
            // Recorded first: what that says is part of the run's report, which does not change any more.
            if (asks_recording(question, ++run))
                queue_.push_back({.experiment = experiment, .prediction = key, .recorded = lab::Recorded{}});
            // Measured in any case: it is what the bench shows.
            queue_.push_back(
                {.experiment = std::move(experiment), .prediction = key, .measures_on = measures_on});
        }
        asked.running = true;
        asked.measuring_on = measures_on;
    } catch (const Refusal& refused) {
        asked.problem = refused.what();
        changed();
    }
}

void Session::finish_prediction(const LearnedKey& key, const HistoryEntry& run) {
    const auto found = learned_.predictions.find(key);
    if (found == learned_.predictions.end()) return;
    Prediction& asked = found->second;
    if (!asked.running) {  // stopped meanwhile
        if (!asked.closed()) asked.problem = run.report.message;
        return;
    }
    const QuestionPlace place = find_question(story_, key.id).value();
    const PredictBlock& question = question_in(story_, place.step, place.block);
    deciding_.push_back(&run);
    if (deciding_.size() < question.run_count()) return;
    const std::vector<const HistoryEntry*> runs = std::exchange(deciding_, {});
    std::vector<const Report*> reports;
    for (const HistoryEntry* one : runs)
        reports.push_back(&one->report);
    const bool measured_on = std::exchange(asked.measuring_on, false);
    asked.running = false;
    std::optional<Outcome> outcome = decide(question, reports, asked.answer);
    if (!outcome) {
        asked.problem = why_not_recorded(question, reports);
        if (asked.problem.empty()) asked.problem = "The run that decides this did not finish on this device.";
        for (const Report* report : reports)
            if (!report->message.empty()) asked.problem = report->message;
        return;
    }
    // Chance is not narrowed down by measuring longer, nor is what was recorded.
    if (outcome->result == Outcome::Result::undecided && !question.by_chance && asks_measuring(question)) {
        if (!measured_on) return queue_deciding(key, true);
        outcome->afterwards =
            "On this device a longer measurement does not decide it either. " + outcome->afterwards;
    }
    asked.outcome = std::move(outcome);
    decided_by_[key] = runs;
}

std::vector<const HistoryEntry*> Session::deciding_runs(std::size_t block) const {
    const auto found = decided_by_.find(prediction_key(block));
    return found == decided_by_.end() ? std::vector<const HistoryEntry*>{} : found->second;
}

}  // namespace gridstride
