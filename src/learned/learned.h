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

/// A step, question or exercise of a lesson on a device: what is kept of it is kept by this.
struct LearnedKey {
    std::string device;  ///< its name; empty until it is known
    std::string lesson;
    std::string id;  ///< in the lesson's story
    auto operator<=>(const LearnedKey&) const = default;
};
struct Prediction {
    Answer answer;           ///< its guess is that of guess_text once that can be read
    std::string guess_text;  ///< as typed
    bool skipped = false;    ///< run or passed over without an answer
    bool pending = false;    ///< runs that decide it are under way, or go on at the next start
    std::optional<Outcome> outcome;
    std::string problem;  ///< why no run could decide it

    /// Nothing holds back what the run shows any more.
    bool closed() const { return outcome.has_value() || skipped; }
    /// There is something of it to keep.
    bool begun() const;
};

/// How far a person has come with a step on this device.
struct StepProgress {
    bool seen = false;
    bool to_make = false, made = false;
    std::size_t right = 0, wrong = 0, undecided = 0, skipped = 0, open = 0,
                pending = 0;  ///< of its questions
};

/// Where a person was last in a lesson.
struct LeftAt {
    std::string step;     ///< its id; empty: the first
    bool at_end = false;  ///< on the lesson's last page, behind that step
    bool operator==(const LeftAt&) const = default;
};

struct Learned {
    std::string device;         ///< the one of last time: assumed until the lab has opened its own
    std::string lesson;         ///< the one that was open last
    std::set<LearnedKey> seen;  ///< steps
    std::map<std::pair<std::string, std::string>, LeftAt> left;  ///< by device and lesson
    std::map<LearnedKey, Prediction> predictions;                ///< by question
    std::set<LearnedKey> made;                                   ///< exercises

    /// What belongs to no device yet was done on this one.
    void belongs_to(const std::string& device_name);
    /// What was seen, answered, made and left of a lesson on a device; of an empty id, of all lessons.
    void forget(const std::string& device_name, const std::string& lesson_id);
};

/// Whether it can be about this question: another version of the story may ask another one in its place.
bool fits(const PredictBlock& question, const Prediction& prediction);

/// Drops the answers of a lesson whose question its story does not ask, or that do not fit it. How many.
std::size_t drop_unfit_answers(Learned& learned, const std::string& lesson_id, const Story& story);

/// What is there and closed stays; else theirs takes its place where it is closed, or nothing is there. What
/// was seen is seen, and what was made is made. How many predictions were taken.
std::size_t merge(Learned& mine, const Learned& theirs);

/// Members "device", "lesson", "seen", "left", "predictions" and "made", as all files of the program hold
/// them.
nlohmann::ordered_json learned_json(const Learned& learned);
/// An entry of "predictions", as this version writes it.
nlohmann::ordered_json prediction_json(const LearnedKey& key, const Prediction& prediction);
std::pair<LearnedKey, Prediction> parse_prediction(const nlohmann::ordered_json& json);
/// Throws std::exception. What earlier versions wrote by a step's number, counted from `first_step`, and by a
/// question's text has its id by first_ids.h, and goes where there is none. Where no device stands, it
/// belongs to none yet.
Learned parse_learned(const nlohmann::ordered_json& json, std::size_t first_step = 0);
/// A list of {"value","low","high"}.
nlohmann::ordered_json estimates_json(const std::vector<Estimate>& estimates);
std::vector<Estimate> parse_estimates(const nlohmann::ordered_json& json);

}  // namespace gridstride
