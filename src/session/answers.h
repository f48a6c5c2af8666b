// What a person saw, answered and made, on this device: Learned, and which device it is.
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
    /// The lab has opened it. What belongs to no device yet is this one's.
    void set_device(const std::string& name);
    const Learned& learned() const { return learned_; }
    void restore(Learned learned);
    /// Drops what does not fit the lesson's story.
    void drop_unfit(const Lesson& lesson, const Story& story) {
        drop_unfit_answers(learned_, lesson.id, story);
    }

    LearnedKey key(const Lesson& lesson, const std::string& id) const { return {device_, lesson.id, id}; }
    // Until the lab has opened its device, what is known on that of last time counts.
    /// Null: nothing is known of the question.
    const Prediction* find(LearnedKey question) const;
    Prediction& at(const LearnedKey& question);
    StepProgress progress_of(const Lesson& lesson, const StoryStep& step) const;
    /// The step's first question that is neither decided nor skipped.
    std::optional<std::size_t> open_question(const Lesson& lesson, const StoryStep& step) const;
    /// Where the person was last in the lesson; the first step when never there.
    LeftAt left_at(const Lesson& lesson) const;
    /// The lesson that was open last; null: none was.
    const Lesson* left_lesson() const { return find_lesson(learned_.lesson); }
    std::size_t seen_of(const Lesson& lesson) const;  ///< how many of its steps
    /// Its questions that are being decided, or will be at the next start.
    std::size_t pending_of(const Lesson& lesson) const;

    void note_step(const Lesson& lesson, const StoryStep& step);
    /// The lesson's last page, behind this last step, is shown, or no more: it is left there.
    void note_end(const Lesson& lesson, const StoryStep& step, bool shown) {
        learned_.left[{device_, lesson.id}] = {step.id, shown};
    }
    void note_made(const LearnedKey& exercise) { learned_.made.insert(exercise); }
    /// Forgets what was seen, answered, made and left of a lesson, or, with null, of all.
    void forget(const Lesson* lesson);

 private:
    bool is_noted(const std::set<LearnedKey>& noted, LearnedKey key) const;

    std::string device_;  ///< its name; empty until it is known
    Learned learned_;
};

}  // namespace gridstride
