#include "progress/story_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "progress/legacy_ids.h"

namespace gridstride {

namespace {

using StoryProgressJson = nlohmann::ordered_json;

constexpr std::size_t max_guess_bytes = 1000;  ///< bytes of its text
constexpr const char* outcome_names[] = {"right", "wrong", "undecided"};

/// Replaces mine by theirs unless mine is closed or better. Returns false if mine stays.
bool replace_if_better(Prediction& mine, const Prediction& theirs) {
    if (!theirs.has_content() || (mine.has_content() && (mine.is_closed() || !theirs.is_closed())))
        return false;
    mine = theirs;
    return true;
}

bool fits(const PredictBlock& question, const std::vector<Estimate>& values) {
    return values.size() == question.value_count() &&
           std::ranges::all_of(values, [](const Estimate& one) { return std::isfinite(one.value); });
}
bool fits(const PredictBlock& question, const Outcome& outcome) {
    return fits(question, outcome.values) && fits(question, outcome.deciding_values()) &&
           outcome.right_choice < std::max<std::size_t>(question.choices.size(), 1);
}

StoryProgressJson key_json(const ProgressKey& key) {
    return {{"device", printable(key.device)}, {"lesson", key.lesson}, {"id", printable(key.id)}};
}
ProgressKey parse_key(const StoryProgressJson& json) {
    return {json.value("device", ""), json.at("lesson").get<std::string>(), json.value("id", "")};
}
/// Parses the step number of earlier versions. The result is counted from 0.
std::size_t parse_step_number(const StoryProgressJson& json, std::size_t first_step) {
    return json.at("step").get<std::size_t>() - first_step;
}

StoryProgressJson outcome_json(const Outcome& outcome) {
    StoryProgressJson json = {{"result", outcome_names[static_cast<std::size_t>(outcome.result)]},
                              {"values", estimates_json(outcome.values)},
                              {"right_choice", outcome.right_choice},
                              {"afterwards", outcome.explanation}};
    if (!outcome.why_wrong.empty()) json["why_wrong"] = outcome.why_wrong;
    if (outcome.judged_by)
        json["judged_by"] = {{"device", printable(outcome.judged_by->device)},
                             {"values", estimates_json(outcome.judged_by->values)}};
    return json;
}

Outcome parse_outcome(const StoryProgressJson& json, const Answer& answer) {
    Outcome outcome;
    outcome.right_choice = json.at("right_choice").get<std::size_t>();
    outcome.explanation = json.at("afterwards").get<std::string>();
    outcome.why_wrong = json.value("why_wrong", "");  // earlier versions have it in "afterwards"
    if (json.contains("guess_right")) {               // written by an earlier version
        const double value = json.at("value").get<double>();
        const bool right =
            answer.choice ? *answer.choice == outcome.right_choice : json.at("guess_right").get<bool>();
        outcome.result = right ? Outcome::Result::right : Outcome::Result::wrong;
        outcome.values = {{value, value, value}};
        return outcome;
    }
    const auto* const name = std::ranges::find(outcome_names, json.at("result").get<std::string>());
    if (name == std::end(outcome_names))
        throw FileError(fmt::format("the result {} is none of {}",
                                    quote_text(json.at("result").get<std::string>()),
                                    join(outcome_names, ", ")));
    outcome.result = static_cast<Outcome::Result>(name - outcome_names);
    outcome.values = parse_estimates(json.at("values"));
    if (json.contains("judged_by")) {
        const StoryProgressJson& gpu = json.at("judged_by");
        outcome.judged_by = GpuValues{gpu.at("device").get<std::string>(), parse_estimates(gpu.at("values"))};
    }
    return outcome;
}

}  // namespace

bool Prediction::has_content() const {
    return is_closed() || answer.choice || !guess_text.empty() || !answer.order.empty() ||
           !answer.marks.empty();
}

void StoryProgress::assign_device(const std::string& device_name) {
    if (device_name.empty()) return;
    // Entries without a device come first in every container.
    for (std::set<ProgressKey>* const keys : {&seen_steps, &solved_exercises})
        while (!keys->empty() && keys->begin()->device.empty()) {
            ProgressKey key = keys->extract(keys->begin()).value();
            key.device = device_name;
            keys->insert(std::move(key));
        }
    while (!attempts.empty() && attempts.begin()->first.device.empty()) {
        const auto one = attempts.extract(attempts.begin());
        attempts[{device_name, one.key().lesson, one.key().id}] += one.mapped();
    }
    while (!last_positions.empty() && last_positions.begin()->first.first.empty()) {
        const auto place = last_positions.extract(last_positions.begin());
        last_positions[{device_name, place.key().second}] = place.mapped();
    }
    while (!predictions.empty() && predictions.begin()->first.device.empty()) {
        auto one = predictions.extract(predictions.begin());
        ProgressKey key = one.key();
        key.device = device;
        const auto earlier = predictions.find(key);
        // Without a device nothing is decided, so this outcome was only shown from the last session.
        const bool only_shown = one.mapped().outcome && earlier != predictions.end() &&
                                earlier->second.outcome && !device.empty();
        key.device = device_name;
        if (!only_shown) replace_if_better(predictions[key], one.mapped());
    }
    device = device_name;
}

void StoryProgress::erase(const std::string& device_name, const CourseEntry* entry) {
    const auto is_included = [&](const ProgressKey& key) {
        return key.device == device_name && (!entry || entry->owns(key.lesson, key.id));
    };
    std::erase_if(seen_steps, is_included);
    std::erase_if(solved_exercises, is_included);
    std::erase_if(attempts, [&](const auto& one) { return is_included(one.first); });
    std::erase_if(predictions, [&](const auto& one) { return is_included(one.first); });
    std::erase_if(last_positions, [&](const auto& one) {
        const auto& [device_of_position, entry_id] = one.first;
        return device_of_position == device_name && (!entry || entry_id == entry->id);
    });
}

bool fits(const PredictBlock& question, const Prediction& prediction) {
    const Answer& answer = prediction.answer;
    if (answer.choice && *answer.choice >= question.choices.size()) return false;
    if (prediction.guess_text.size() > max_guess_bytes) return false;
    if (!prediction.guess_text.empty() && !question.guess) return false;
    if (!answer.order.empty()) {
        std::vector<std::size_t> places = answer.order;
        std::ranges::sort(places);
        if (places.size() != question.items.size()) return false;
        for (std::size_t i = 0; i < places.size(); ++i)
            if (places[i] != i) return false;
    }
    if (!answer.marks.empty() &&
        (answer.marks.size() != question.marks.size() ||
         !std::ranges::all_of(answer.marks, [](double x) { return std::isfinite(x); })))
        return false;
    return !prediction.outcome || fits(question, *prediction.outcome);
}

std::size_t remove_stale_predictions(StoryProgress& story_progress, const CourseEntry& entry,
                                     const Story& story) {
    return std::erase_if(story_progress.predictions, [&](const auto& one) {
        const auto& [key, prediction] = one;
        if (!entry.owns(key.lesson, key.id)) return false;
        const std::optional<QuestionPlace> place = find_question(story, key.id);
        return !place || !fits(get_question(story.steps[place->step], place->block), prediction);
    });
}

std::size_t merge(StoryProgress& target, const StoryProgress& source) {
    if (target.device.empty()) target.device = source.device;
    if (target.lesson.empty()) target.lesson = source.lesson;
    target.seen_steps.insert(source.seen_steps.begin(), source.seen_steps.end());
    target.last_positions.insert(source.last_positions.begin(), source.last_positions.end());
    target.solved_exercises.insert(source.solved_exercises.begin(), source.solved_exercises.end());
    for (const auto& [key, count] : source.attempts)
        target.attempts[key] = std::max(target.attempts[key], count);
    std::size_t merged_count = 0;
    for (const auto& [key, prediction] : source.predictions)
        if (prediction.has_content() && replace_if_better(target.predictions[key], prediction)) {
            target.predictions[key].is_pending = false;  // its runs belong to the other program
            ++merged_count;
        }
    return merged_count;
}

StoryProgressJson estimates_json(const std::vector<Estimate>& estimates) {
    StoryProgressJson json = StoryProgressJson::array();
    for (const Estimate& one : estimates)
        // JSON has no infinity.
        json.push_back({{"value", one.value},
                        {"low", std::isfinite(one.low) ? one.low : one.value},
                        {"high", std::isfinite(one.high) ? one.high : one.value}});
    return json;
}

std::vector<Estimate> parse_estimates(const StoryProgressJson& json) {
    std::vector<Estimate> estimates;
    for (const StoryProgressJson& one : json)
        estimates.push_back(
            {one.at("value").get<double>(), one.at("low").get<double>(), one.at("high").get<double>()});
    return estimates;
}

StoryProgressJson prediction_json(const ProgressKey& key, const Prediction& prediction) {
    StoryProgressJson json = key_json(key);
    const Answer& answer = prediction.answer;
    if (answer.choice) json["choice"] = *answer.choice;
    if (!prediction.guess_text.empty()) json["guess"] = printable(prediction.guess_text);
    if (!answer.order.empty()) json["order"] = answer.order;
    if (!answer.marks.empty()) json["marks"] = answer.marks;
    if (prediction.is_skipped) json["skipped"] = true;
    if (prediction.is_pending) json["pending"] = true;
    if (prediction.outcome) json["outcome"] = outcome_json(*prediction.outcome);
    return json;
}

std::pair<ProgressKey, Prediction> parse_prediction(const StoryProgressJson& json) {
    Prediction prediction;
    Answer& answer = prediction.answer;
    if (json.contains("choice")) answer.choice = json.at("choice").get<std::size_t>();
    prediction.guess_text = json.value("guess", "");
    answer.order = json.value("order", std::vector<std::size_t>{});
    answer.marks = json.value("marks", std::vector<double>{});
    prediction.is_skipped = json.value("skipped", false);
    prediction.is_pending = json.value("pending", false);
    if (json.contains("outcome")) prediction.outcome = parse_outcome(json.at("outcome"), answer);
    return {parse_key(json), std::move(prediction)};
}

StoryProgressJson progress_json(const StoryProgress& story_progress) {
    StoryProgressJson json = {
        {"device", printable(story_progress.device)}, {"lesson", story_progress.lesson},
        {"seen", StoryProgressJson::array()},         {"left", StoryProgressJson::array()},
        {"predictions", StoryProgressJson::array()},  {"made", StoryProgressJson::array()}};
    for (const ProgressKey& key : story_progress.seen_steps)
        json["seen"].push_back(key_json(key));
    for (const auto& [where, at] : story_progress.last_positions) {
        json["left"].push_back(key_json({where.first, where.second, at.step}));
        if (at.is_at_end) json["left"].back()["at_end"] = true;
    }
    for (const auto& [key, prediction] : story_progress.predictions)
        if (prediction.has_content()) json["predictions"].push_back(prediction_json(key, prediction));
    for (const ProgressKey& key : story_progress.solved_exercises)
        json["made"].push_back(key_json(key));
    json["attempts"] = StoryProgressJson::array();
    for (const auto& [key, count] : story_progress.attempts) {
        json["attempts"].push_back(key_json(key));
        json["attempts"].back()["count"] = count;
    }
    return json;
}

StoryProgress parse_progress_json(const StoryProgressJson& json, std::size_t first_step) {
    StoryProgress story_progress;
    story_progress.device = json.value("device", "");
    story_progress.lesson = json.value("lesson", "");
    const auto each = [&](const char* list, const auto& first_id, const auto& add) {
        for (const StoryProgressJson& entry : json.value(list, StoryProgressJson::array())) {
            ProgressKey key = parse_key(entry);
            if (!entry.contains("id")) key.id = first_id(key.lesson, entry);
            if (!key.id.empty()) add(std::move(key), entry);
        }
    };
    const auto step_id = [&](const std::string& lesson, const StoryProgressJson& entry) {
        return legacy_step_id(lesson, parse_step_number(entry, first_step));
    };
    each("seen", step_id, [&](ProgressKey key, const StoryProgressJson&) {
        story_progress.seen_steps.insert(std::move(key));
    });
    each("left", step_id, [&](ProgressKey key, const StoryProgressJson& entry) {
        story_progress.last_positions[{key.device, key.lesson}] = {key.id, entry.value("at_end", false)};
    });
    each(
        "predictions",
        [&](const std::string& lesson, const StoryProgressJson& entry) {
            const std::string question = entry.value("question", "");
            const std::size_t step = parse_step_number(entry, first_step),
                              block = entry.at("block").get<std::size_t>();
            const std::string id = legacy_question_id(lesson, step, block, question);
            // Use an id that no story has, so that remove_stale_predictions() counts it.
            return id.empty() ? fmt::format("{}.{} {}", step, block, question) : id;
        },
        [&](ProgressKey key, const StoryProgressJson& entry) {
            story_progress.predictions.emplace(std::move(key), parse_prediction(entry).second);
        });
    each(
        "made",
        [](const std::string& lesson, const StoryProgressJson& entry) {
            return legacy_exercise_id(lesson, entry.at("name").get<std::string>());
        },
        [&](ProgressKey key, const StoryProgressJson&) {
            story_progress.solved_exercises.insert(std::move(key));
        });
    const auto no_id = [](const std::string&, const StoryProgressJson&) { return std::string(); };
    each("attempts", no_id, [&](const ProgressKey& key, const StoryProgressJson& entry) {
        story_progress.attempts[key] = entry.at("count").get<std::uint64_t>();
    });
    return story_progress;
}

}  // namespace gridstride
