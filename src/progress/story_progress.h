// The user's progress in the stories: steps seen, predictions, exercises solved, and where they left. A plain
// value, which the settings and the progress file store.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "story/story.h"

namespace gridstride {

/// Identifies a step, question or exercise of a lesson on a device.
struct ProgressKey {
    std::string device;  ///< its name; empty until the device is known
    std::string lesson;
    std::string id;  ///< in the lesson's story
    auto operator<=>(const ProgressKey&) const = default;
};
/// The user's answer to a question, and its outcome.
struct Prediction {
    Answer answer;            ///< has the guess of guess_text if that can be parsed
    std::string guess_text;   ///< as typed
    bool is_skipped = false;  ///< the user ran or skipped the question without an answer
    bool is_pending = false;  ///< its runs have started; they resume at the next start
    std::optional<Outcome> outcome;
    std::string problem;  ///< a sentence that says why no run could decide it

    /// Returns true if the results of its runs may be shown.
    bool is_closed() const { return outcome.has_value() || is_skipped; }
    /// Returns true if there is something to save.
    bool has_content() const;
};

struct StepProgress {
    bool is_seen = false;
    bool has_exercise = false, is_solved = false;  ///< has an exercise; it is solved
    /// The number of its questions in each state.
    std::size_t right = 0, wrong = 0, undecided = 0, skipped = 0, open = 0, pending = 0;
};

/// The place where the user left a story.
struct LastPosition {
    std::string step;        ///< its id; empty: the first
    bool is_at_end = false;  ///< on the last page of the story, after that step
    bool operator==(const LastPosition&) const = default;
};

struct StoryProgress {
    std::string device;                ///< the last device, assumed until the lab has opened one
    std::string lesson;                ///< the course entry that was open last
    std::set<ProgressKey> seen_steps;  ///< steps
    std::map<std::pair<std::string, std::string>, LastPosition> last_positions;  ///< by device, course entry
    std::map<ProgressKey, Prediction> predictions;                               ///< by question
    std::set<ProgressKey> solved_exercises;                                      ///< exercises
    std::map<ProgressKey, std::uint64_t> attempts;  ///< how often each exercise was checked

    /// Assigns entries without a device to this one.
    void assign_device(const std::string& device_name);
    /// Removes the progress in a story on a device; null: in all stories.
    void erase(const std::string& device_name, const CourseEntry* entry);
};

/// Returns false if the prediction cannot belong to this question. A newer story may have replaced the
/// question.
bool fits(const PredictBlock& question, const Prediction& prediction);

/// Removes the predictions of an entry that do not fit their question of its story, or whose question neither
/// this nor another story of the lesson has. Returns how many.
std::size_t remove_stale_predictions(StoryProgress& story_progress, const CourseEntry& entry,
                                     const Story& story);

/// Merges `source` into `target`. A closed prediction of the target stays; otherwise the source's replaces it
/// if that one is closed or the target has none. Steps seen and exercises solved are united. Returns the
/// number of replaced predictions.
std::size_t merge(StoryProgress& target, const StoryProgress& source);

/// Returns an object with "device", "lesson", "seen", "left", "predictions", "made" and "attempts", the form
/// in all files.
nlohmann::ordered_json progress_json(const StoryProgress& story_progress);
/// Returns an entry of "predictions".
nlohmann::ordered_json prediction_json(const ProgressKey& key, const Prediction& prediction);
std::pair<ProgressKey, Prediction> parse_prediction(const nlohmann::ordered_json& json);
/// Throws std::exception. Earlier versions stored step numbers, counted from `first_step`, and texts of
/// questions. legacy_ids.h maps them to ids; entries without an id are dropped. The device of an entry may be
/// missing.
StoryProgress parse_progress_json(const nlohmann::ordered_json& json, std::size_t first_step = 0);
/// Returns a list of {"value","low","high"}. An infinite bound is written as the value.
nlohmann::ordered_json estimates_json(const std::vector<Estimate>& estimates);
std::vector<Estimate> parse_estimates(const nlohmann::ordered_json& json);

}  // namespace gridstride
