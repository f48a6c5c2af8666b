#include "session/questions.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "progress/device_answers.h"

namespace gridstride {

void Questions::start(const ProgressKey& key, const Lesson& lesson, const Story& story, UserData input,
                      const lab::Sampling& sampling, bool is_cpu) {
    Prediction& prediction = progress_.at(key);
    prediction.is_pending = false;
    prediction.problem.clear();
    const std::optional<QuestionPlace> place = find_question(story, key.id);
    if (!place) return;
    try {
        Experiment start = experiment_of_step(lesson, story, place->step);
        start.input = std::move(input);
        const auto job = std::make_shared<QuestionJob>(
            lesson, question_for_device(get_question(story.steps[place->step], place->block), is_cpu), start,
            prediction.answer, sampling, find_gpu_values(lesson, story, *place));
        prediction.is_pending = true;
        runs_.erase(key);
        jobs_.insert_or_assign(key, job);
        queue_.add(job, JobPriority::question);
    } catch (const Refusal& refused) {
        prediction.problem = refused.what();
    }
}

const QuestionJob* Questions::job(const ProgressKey& key) const {
    const auto found = jobs_.find(key);
    return found == jobs_.end() ? nullptr : found->second.get();
}

const ProgressKey* Questions::find_key(const Job* job) const {
    const auto found = std::ranges::find_if(jobs_, [&](const auto& one) { return one.second.get() == job; });
    return found == jobs_.end() ? nullptr : &found->first;
}

void Questions::remove(const ProgressKey& key) {
    queue_.remove(job(key));
    jobs_.erase(key);
    runs_.erase(key);
}

void Questions::erase(const CourseEntry* entry) {
    const auto is_owned = [&](const auto& one) {
        return !entry || entry->owns(one.first.lesson, one.first.id);
    };
    for (const auto& one : jobs_)
        if (is_owned(one)) queue_.remove(one.second.get());
    std::erase_if(jobs_, is_owned);
    std::erase_if(runs_, is_owned);
}

std::vector<const HistoryEntry*> Questions::deciding_runs(const ProgressKey& key) const {
    const auto found = runs_.find(key);
    return found == runs_.end() || jobs_.contains(key) ? std::vector<const HistoryEntry*>() : found->second;
}

void Questions::store_outcomes() {
    std::erase_if(jobs_, [&](const auto& one) {
        const auto& [key, job] = one;
        if (queue_.contains(job.get())) return false;
        Prediction& prediction = progress_.at(key);
        prediction.is_pending = false;
        prediction.outcome = job->outcome();
        prediction.problem = job->problem();
        std::vector<const HistoryEntry*>& runs = runs_[key];
        const std::size_t deciding_runs = prediction.outcome ? job->runs().size() : 0;
        runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(deciding_runs));
        return true;
    });
}

}  // namespace gridstride
