// The user's progress on this device: the steps that were opened, the answers and the completed exercises.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "lesson/lesson.h"
#include "progress/story_progress.h"
#include "story/story.h"

namespace gridstride {

class DeviceProgress {
 public:
    /// Sets the device that the lab has opened. Progress that belongs to no device yet is assigned to it.
    void set_device(const std::string& name);
    const StoryProgress& story_progress() const { return story_progress_; }
    void restore(StoryProgress story_progress);
    /// Drops answers that do not fit the story.
    void drop_unfit(const CourseEntry& entry, const Story& story) {
        remove_stale_predictions(story_progress_, entry, story);
    }

    ProgressKey key(const Lesson& lesson, const std::string& id) const { return {device_, lesson.id, id}; }
    /// Returns the prediction, or null if there is none. Until the lab has opened its device, that of the
    /// previous session's device counts.
    const Prediction* find(ProgressKey question) const;
    Prediction& at(const ProgressKey& question);
    StepProgress step_progress(const Lesson& lesson, const StoryStep& step) const;
    /// Returns the step's first question that is neither decided nor skipped.
    std::optional<std::size_t> open_question(const Lesson& lesson, const StoryStep& step) const;
    /// Returns where the user left the story, or its first step.
    LastPosition last_position(const CourseEntry& entry) const;
    /// Returns the story that was open last, or null.
    const CourseEntry* last_entry() const { return find_course_entry(story_progress_.lesson); }
    std::size_t count_seen_steps(const CourseEntry& entry) const;  ///< number of opened steps
    /// Returns the number of the story's questions whose runs have not ended.
    std::size_t count_pending_questions(const CourseEntry& entry) const;
    /// Returns the number of the story's questions that are decided or skipped.
    std::size_t count_closed_questions(const CourseEntry& entry) const;

    void mark_step_seen(const CourseEntry& entry, const StoryStep& step);
    /// Records whether the user left the story on its last page, behind this last step.
    void set_on_last_page(const CourseEntry& entry, const StoryStep& step, bool shown) {
        story_progress_.last_positions[{device_, entry.id}] = {step.id, shown};
    }
    /// Records that an exercise was checked, and whether it is solved.
    void add_attempt(const ProgressKey& exercise, bool is_solved) {
        ++story_progress_.attempts[exercise];
        if (is_solved) story_progress_.solved_exercises.insert(exercise);
    }
    /// Deletes the progress of a story, or of all stories if null.
    void erase(const CourseEntry* entry);

 private:
    bool has_entry(const std::set<ProgressKey>& entries, ProgressKey key) const;

    std::string device_;  ///< empty until the lab has opened it
    StoryProgress story_progress_;
};

}  // namespace gridstride
