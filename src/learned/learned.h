// What a person has learned: what they saw of each story, what they answered there and where they left. A
// value, kept in the settings and in the progress file.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "story/story.h"

namespace gridstride {

/// A step of a story on a device: what is kept of it is kept by this.
struct StepKey {
    std::string device;  ///< its name; empty until it is known
    std::string lesson;
    std::size_t step = 0;
    auto operator<=>(const StepKey&) const = default;
};
/// A prediction: the block of such a step.
struct PredictionKey : StepKey {
    std::size_t block = 0;
    auto operator<=>(const PredictionKey&) const = default;
};
struct Prediction {
    std::string question;    ///< its text as it was asked; empty: an earlier version kept none
    Answer answer;           ///< its guess is that of guess_text once that can be read
    std::string guess_text;  ///< as typed
    bool skipped = false;    ///< run or passed over without an answer
    bool running = false;
    bool measuring_on = false;  ///< it was undecided at first: its runs run again, longer
    std::optional<Outcome> outcome;
    std::string problem;  ///< why no run could decide it

    /// Nothing holds back what the run shows any more.
    bool closed() const { return outcome.has_value() || skipped; }
    /// There is something of it to keep.
    bool begun() const;
};

/// What was made on a device: see name_of(const MakeBlock&).
struct MadeKey {
    std::string device;  ///< as of StepKey
    std::string lesson;
    std::string name;
    auto operator<=>(const MadeKey&) const = default;
};

/// How far a person has come with a step on this device.
struct StepProgress {
    bool seen = false;
    bool to_make = false, made = false;
    std::size_t right = 0, wrong = 0, undecided = 0, skipped = 0, open = 0;  ///< of its questions
};

/// Where a person was last in a lesson.
struct LeftAt {
    std::size_t step = 0;
    bool at_end = false;  ///< on the lesson's last page, behind that step
    bool operator==(const LeftAt&) const = default;
};

struct Learned {
    std::string device;  ///< the one of last time: assumed until the lab has opened its own
    std::string lesson;  ///< the one that was open last
    std::set<StepKey> seen;
    std::map<std::pair<std::string, std::string>, LeftAt> left;  ///< by device and lesson
    std::map<PredictionKey, Prediction> predictions;
    std::set<MadeKey> made;

    /// What belongs to no device yet was done on this one.
    void belongs_to(const std::string& device_name);
    /// What was seen, answered, made and left of a lesson on a device; of an empty id, of all lessons.
    void forget(const std::string& device_name, const std::string& lesson_id);
};

/// Whether it can be about this question: another version of the story may ask another one in its place.
bool fits(const PredictBlock& question, const Prediction& prediction);

/// The answers of a lesson go where its story asks their question now. Those whose question is not asked any
/// more, or that do not fit it, are dropped; one without a question's text stays at its step and block. How
/// many were dropped.
std::size_t settle_in(Learned& learned, const std::string& lesson_id, const Story& story);

/// What is there and closed stays; else theirs takes its place where it is closed, or nothing is there. What
/// was seen is seen, and what was made is made. How many predictions were taken.
std::size_t merge(Learned& mine, const Learned& theirs);

/// Members "device", "lesson", "seen", "left", "predictions" and "made", as all files of the program hold
/// them; steps and blocks counted from 0.
nlohmann::ordered_json learned_json(const Learned& learned);
nlohmann::ordered_json prediction_json(const PredictionKey& key, const Prediction& prediction);
/// Throw std::exception. Where no device stands, as earlier versions wrote it, it belongs to none yet.
Learned parse_learned(const nlohmann::ordered_json& json);
std::pair<PredictionKey, Prediction> parse_prediction(const nlohmann::ordered_json& json);
/// A list of {"value","low","high"}.
nlohmann::ordered_json estimates_json(const std::vector<Estimate>& estimates);
std::vector<Estimate> parse_estimates(const nlohmann::ordered_json& json);

}  // namespace gridstride
