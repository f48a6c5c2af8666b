// The user's progress on this device: the steps that were opened, the answers and the completed exercises.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "learned/learned.h"
#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

class Answers {
 public:
    /// Sets the device that the lab has opened. Progress that belongs to no device yet is assigned to it.
    void set_device(const std::string& name);
    const Learned& learned() const { return learned_; }
    void restore(Learned learned);
    /// Drops answers that do not fit the lesson's story.
    void drop_unfit(const Lesson& lesson, const Story& story) {
        drop_unfit_answers(learned_, lesson.id, story);
    }

    LearnedKey key(const Lesson& lesson, const std::string& id) const { return {device_, lesson.id, id}; }
    /// Returns the prediction, or null if there is none. Until the lab has opened its device, that of the
    /// previous session's device counts.
    const Prediction* find(LearnedKey question) const;
    Prediction& at(const LearnedKey& question);
    StepProgress progress_of(const Lesson& lesson, const StoryStep& step) const;
    /// Returns the step's first question that is neither decided nor skipped.
    std::optional<std::size_t> open_question(const Lesson& lesson, const StoryStep& step) const;
    /// Returns where the user left the lesson, or its first step.
    LeftAt left_at(const Lesson& lesson) const;
    /// Returns the lesson that was open last, or null.
    const Lesson* left_lesson() const { return find_lesson(learned_.lesson); }
    std::size_t seen_of(const Lesson& lesson) const;  ///< number of opened steps
    /// Returns the number of the lesson's questions whose runs have not ended.
    std::size_t pending_of(const Lesson& lesson) const;

    void note_step(const Lesson& lesson, const StoryStep& step);
    /// Records whether the user left the lesson on its last page, behind this last step.
    void note_end(const Lesson& lesson, const StoryStep& step, bool shown) {
        learned_.left[{device_, lesson.id}] = {step.id, shown};
    }
    void note_made(const LearnedKey& exercise) { learned_.made.insert(exercise); }
    /// Deletes the progress of a lesson, or of all lessons if null.
    void forget(const Lesson* lesson);

 private:
    bool is_noted(const std::set<LearnedKey>& noted, LearnedKey key) const;

    std::string device_;  ///< empty until the lab has opened it
    Learned learned_;
};

}  // namespace gridstride
