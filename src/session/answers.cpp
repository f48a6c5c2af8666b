#include "session/answers.h"

#include <algorithm>
#include <utility>

namespace gridstride {

void Answers::set_device(const std::string& name) {
    device_ = name;
    learned_.belongs_to(name);
}

void Answers::restore(Learned learned) {
    learned_ = std::move(learned);
    if (!device_.empty()) learned_.belongs_to(device_);
}

const Prediction* Answers::find(LearnedKey question) const {
    auto found = learned_.predictions.find(question);
    if (found == learned_.predictions.end() && device_.empty()) {
        question.device = learned_.device;
        found = learned_.predictions.find(question);
    }
    return found == learned_.predictions.end() ? nullptr : &found->second;
}

Prediction& Answers::at(const LearnedKey& question) {
    const Prediction* const known = find(question);
    return learned_.predictions.try_emplace(question, known ? *known : Prediction{}).first->second;
}

bool Answers::is_noted(const std::set<LearnedKey>& noted, LearnedKey key) const {
    if (noted.contains(key)) return true;
    key.device = learned_.device;
    return device_.empty() && noted.contains(key);
}

StepProgress Answers::progress_of(const Lesson& lesson, const StoryStep& step) const {
    StepProgress progress;
    progress.seen = is_noted(learned_.seen, key(lesson, step.id));
    if (const MakeBlock* const make = made_at(step)) {
        progress.to_make = true;
        progress.made = is_noted(learned_.made, key(lesson, make->id));
    }
    for (const std::size_t block : questions_of(step)) {
        const Prediction* const known = find(key(lesson, question_in(step, block).id));
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

std::optional<std::size_t> Answers::open_question(const Lesson& lesson, const StoryStep& step) const {
    for (const std::size_t block : questions_of(step)) {
        const Prediction* const known = find(key(lesson, question_in(step, block).id));
        if (!known || !known->closed()) return block;
    }
    return std::nullopt;
}

LeftAt Answers::left_at(const Lesson& lesson) const {
    for (const std::string& device : {device_, device_.empty() ? learned_.device : std::string()})
        if (const auto found = learned_.left.find({device, lesson.id}); found != learned_.left.end())
            return found->second;
    return {};
}

std::size_t Answers::seen_of(const Lesson& lesson) const {
    std::size_t seen = 0;
    for (const CourseEntry& entry : course())
        for (const std::string& step : entry.steps)
            if (entry.lesson == &lesson && is_noted(learned_.seen, key(lesson, step))) ++seen;
    return seen;
}

std::size_t Answers::pending_of(const Lesson& lesson) const {
    return static_cast<std::size_t>(std::ranges::count_if(learned_.predictions, [&](const auto& one) {
        return one.first.lesson == lesson.id && one.second.pending;
    }));
}

void Answers::note_step(const Lesson& lesson, const StoryStep& step) {
    learned_.seen.insert(key(lesson, step.id));
    note_end(lesson, step, false);
    learned_.lesson = lesson.id;
}

void Answers::forget(const Lesson* lesson) {
    const std::string id = lesson ? lesson->id : std::string();
    learned_.forget(device_, id);
    if (device_.empty()) learned_.forget(learned_.device, id);
    if (!lesson) learned_.lesson.clear();
}

}  // namespace gridstride
