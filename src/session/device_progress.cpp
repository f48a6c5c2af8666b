#include "session/device_progress.h"

#include <algorithm>
#include <utility>

namespace gridstride {

void DeviceProgress::set_device(const std::string& name) {
    device_ = name;
    story_progress_.assign_device(name);
}

void DeviceProgress::restore(StoryProgress story_progress) {
    story_progress_ = std::move(story_progress);
    if (!device_.empty()) story_progress_.assign_device(device_);
}

const Prediction* DeviceProgress::find(ProgressKey question) const {
    auto found = story_progress_.predictions.find(question);
    if (found == story_progress_.predictions.end() && device_.empty()) {
        question.device = story_progress_.device;
        found = story_progress_.predictions.find(question);
    }
    return found == story_progress_.predictions.end() ? nullptr : &found->second;
}

Prediction& DeviceProgress::at(const ProgressKey& question) {
    const Prediction* const known = find(question);
    return story_progress_.predictions.try_emplace(question, known ? *known : Prediction{}).first->second;
}

bool DeviceProgress::has_entry(const std::set<ProgressKey>& entries, ProgressKey key) const {
    if (entries.contains(key)) return true;
    key.device = story_progress_.device;
    return device_.empty() && entries.contains(key);
}

StepProgress DeviceProgress::step_progress(const Lesson& lesson, const StoryStep& step) const {
    StepProgress progress;
    progress.is_seen = has_entry(story_progress_.seen_steps, key(lesson, step.id));
    if (const MakeBlock* const make = find_make_block(step)) {
        progress.has_exercise = true;
        progress.is_solved = has_entry(story_progress_.solved_exercises, key(lesson, make->id));
    }
    for (const std::size_t block : question_blocks(step)) {
        const Prediction* const known = find(key(lesson, get_question(step, block).id));
        if (known && known->is_pending)
            ++progress.pending;
        else if (!known || !known->is_closed())
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

std::optional<std::size_t> DeviceProgress::open_question(const Lesson& lesson, const StoryStep& step) const {
    for (const std::size_t block : question_blocks(step)) {
        const Prediction* const known = find(key(lesson, get_question(step, block).id));
        if (!known || !known->is_closed()) return block;
    }
    return std::nullopt;
}

LastPosition DeviceProgress::last_position(const CourseEntry& entry) const {
    for (const std::string& device : {device_, device_.empty() ? story_progress_.device : std::string()})
        if (const auto found = story_progress_.last_positions.find({device, entry.id});
            found != story_progress_.last_positions.end())
            return found->second;
    return {};
}

std::size_t DeviceProgress::count_seen_steps(const CourseEntry& entry) const {
    return static_cast<std::size_t>(std::ranges::count_if(entry.step_ids, [&](const std::string& step) {
        return has_entry(story_progress_.seen_steps, key(*entry.lesson, step));
    }));
}

std::size_t DeviceProgress::count_pending_questions(const CourseEntry& entry) const {
    return static_cast<std::size_t>(std::ranges::count_if(story_progress_.predictions, [&](const auto& one) {
        return one.second.is_pending && entry.owns(one.first.lesson, one.first.id);
    }));
}

std::size_t DeviceProgress::count_closed_questions(const CourseEntry& entry) const {
    return static_cast<std::size_t>(std::ranges::count_if(entry.question_ids, [&](const std::string& id) {
        const Prediction* const known = find(key(*entry.lesson, id));
        return known && known->is_closed();
    }));
}

void DeviceProgress::mark_step_seen(const CourseEntry& entry, const StoryStep& step) {
    story_progress_.seen_steps.insert(key(*entry.lesson, step.id));
    set_on_last_page(entry, step, false);
    story_progress_.lesson = entry.id;
}

void DeviceProgress::erase(const CourseEntry* entry) {
    story_progress_.erase(device_, entry);
    if (device_.empty()) story_progress_.erase(story_progress_.device, entry);
    if (!entry) story_progress_.lesson.clear();
}

}  // namespace gridstride
