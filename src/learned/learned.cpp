#include "learned/learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "learned/first_ids.h"

namespace gridstride {

namespace {

using LearnedJson = nlohmann::ordered_json;

constexpr std::size_t longest_guess = 1000;  ///< bytes of its text
constexpr const char* result_names[] = {"right", "wrong", "undecided"};

/// Replaces mine by theirs unless mine is closed or better. Returns false if mine stays.
bool take(Prediction& mine, const Prediction& theirs) {
    if (!theirs.begun() || (mine.begun() && (mine.closed() || !theirs.closed()))) return false;
    mine = theirs;
    return true;
}

bool fits(const PredictBlock& question, const Outcome& outcome) {
    return outcome.values.size() == question.value_count() &&
           std::ranges::all_of(outcome.values,
                               [](const Estimate& one) { return std::isfinite(one.value); }) &&
           outcome.right_choice < std::max<std::size_t>(question.choices.size(), 1);
}

LearnedJson key_json(const LearnedKey& key) {
    return {{"device", printable(key.device)}, {"lesson", key.lesson}, {"id", printable(key.id)}};
}
LearnedKey parse_key(const LearnedJson& json) {
    return {json.value("device", ""), json.at("lesson").get<std::string>(), json.value("id", "")};
}
/// Parses the step number of earlier versions. The result is counted from 0.
std::size_t step_in(const LearnedJson& json, std::size_t first_step) {
    return json.at("step").get<std::size_t>() - first_step;
}

LearnedJson outcome_json(const Outcome& outcome) {
    return {{"result", result_names[static_cast<std::size_t>(outcome.result)]},
            {"values", estimates_json(outcome.values)},
            {"right_choice", outcome.right_choice},
            {"afterwards", outcome.afterwards}};
}

Outcome parse_outcome(const LearnedJson& json, const Answer& answer) {
    Outcome outcome;
    outcome.right_choice = json.at("right_choice").get<std::size_t>();
    outcome.afterwards = json.at("afterwards").get<std::string>();
    if (json.contains("guess_right")) {  // written by an earlier version
        const double value = json.at("value").get<double>();
        const bool right =
            answer.choice ? *answer.choice == outcome.right_choice : json.at("guess_right").get<bool>();
        outcome.result = right ? Outcome::Result::right : Outcome::Result::wrong;
        outcome.values = {{value, value, value}};
        return outcome;
    }
    const auto* const name = std::ranges::find(result_names, json.at("result").get<std::string>());
    if (name == std::end(result_names)) throw FileError("a result has an unknown name");
    outcome.result = static_cast<Outcome::Result>(name - result_names);
    outcome.values = parse_estimates(json.at("values"));
    return outcome;
}

}  // namespace

bool Prediction::begun() const {
    return closed() || answer.choice || !guess_text.empty() || !answer.order.empty() || !answer.marks.empty();
}

void Learned::belongs_to(const std::string& device_name) {
    if (device_name.empty()) return;
    // Entries without a device come first in every container.
    for (std::set<LearnedKey>* const keys : {&seen, &made})
        while (!keys->empty() && keys->begin()->device.empty()) {
            LearnedKey key = keys->extract(keys->begin()).value();
            key.device = device_name;
            keys->insert(std::move(key));
        }
    while (!left.empty() && left.begin()->first.first.empty()) {
        const auto place = left.extract(left.begin());
        left[{device_name, place.key().second}] = place.mapped();
    }
    while (!predictions.empty() && predictions.begin()->first.device.empty()) {
        auto one = predictions.extract(predictions.begin());
        LearnedKey key = one.key();
        key.device = device;
        const auto of_last_time = predictions.find(key);
        // Without a device nothing is decided, so this outcome was only shown from the last session.
        const bool only_shown = one.mapped().outcome && of_last_time != predictions.end() &&
                                of_last_time->second.outcome && !device.empty();
        key.device = device_name;
        if (!only_shown) take(predictions[key], one.mapped());
    }
    device = device_name;
}

void Learned::forget(const std::string& device_name, const std::string& lesson_id) {
    const auto is_meant = [&](const std::string& of_device, const std::string& of_lesson) {
        return of_device == device_name && (lesson_id.empty() || of_lesson == lesson_id);
    };
    for (std::set<LearnedKey>* const keys : {&seen, &made})
        std::erase_if(*keys, [&](const LearnedKey& key) { return is_meant(key.device, key.lesson); });
    std::erase_if(left, [&](const auto& one) { return is_meant(one.first.first, one.first.second); });
    std::erase_if(predictions, [&](const auto& one) { return is_meant(one.first.device, one.first.lesson); });
}

bool fits(const PredictBlock& question, const Prediction& prediction) {
    const Answer& answer = prediction.answer;
    if (answer.choice && *answer.choice >= question.choices.size()) return false;
    if (prediction.guess_text.size() > longest_guess) return false;
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

std::size_t drop_unfit_answers(Learned& learned, const std::string& lesson_id, const Story& story) {
    return std::erase_if(learned.predictions, [&](const auto& one) {
        const auto& [key, prediction] = one;
        if (key.lesson != lesson_id) return false;
        const std::optional<QuestionPlace> place = find_question(story, key.id);
        return !place || !fits(question_in(story.steps[place->step], place->block), prediction);
    });
}

std::size_t merge(Learned& mine, const Learned& theirs) {
    if (mine.device.empty()) mine.device = theirs.device;
    if (mine.lesson.empty()) mine.lesson = theirs.lesson;
    mine.seen.insert(theirs.seen.begin(), theirs.seen.end());
    mine.left.insert(theirs.left.begin(), theirs.left.end());
    mine.made.insert(theirs.made.begin(), theirs.made.end());
    std::size_t taken = 0;
    for (const auto& [key, prediction] : theirs.predictions)
        if (prediction.begun() && take(mine.predictions[key], prediction)) {
            mine.predictions[key].pending = false;  // its runs belong to the other program
            ++taken;
        }
    return taken;
}

LearnedJson estimates_json(const std::vector<Estimate>& estimates) {
    LearnedJson json = LearnedJson::array();
    for (const Estimate& one : estimates)
        // JSON has no infinity.
        json.push_back({{"value", one.value},
                        {"low", std::isfinite(one.low) ? one.low : one.value},
                        {"high", std::isfinite(one.high) ? one.high : one.value}});
    return json;
}

std::vector<Estimate> parse_estimates(const LearnedJson& json) {
    std::vector<Estimate> estimates;
    for (const LearnedJson& one : json)
        estimates.push_back(
            {one.at("value").get<double>(), one.at("low").get<double>(), one.at("high").get<double>()});
    return estimates;
}

LearnedJson prediction_json(const LearnedKey& key, const Prediction& prediction) {
    LearnedJson json = key_json(key);
    const Answer& answer = prediction.answer;
    if (answer.choice) json["choice"] = *answer.choice;
    if (!prediction.guess_text.empty()) json["guess"] = printable(prediction.guess_text);
    if (!answer.order.empty()) json["order"] = answer.order;
    if (!answer.marks.empty()) json["marks"] = answer.marks;
    if (prediction.skipped) json["skipped"] = true;
    if (prediction.pending) json["pending"] = true;
    if (prediction.outcome) json["outcome"] = outcome_json(*prediction.outcome);
    return json;
}

std::pair<LearnedKey, Prediction> parse_prediction(const LearnedJson& json) {
    Prediction prediction;
    Answer& answer = prediction.answer;
    if (json.contains("choice")) answer.choice = json.at("choice").get<std::size_t>();
    prediction.guess_text = json.value("guess", "");
    answer.order = json.value("order", std::vector<std::size_t>{});
    answer.marks = json.value("marks", std::vector<double>{});
    prediction.skipped = json.value("skipped", false);
    prediction.pending = json.value("pending", false);
    if (json.contains("outcome")) prediction.outcome = parse_outcome(json.at("outcome"), answer);
    return {parse_key(json), std::move(prediction)};
}

LearnedJson learned_json(const Learned& learned) {
    LearnedJson json = {{"device", printable(learned.device)}, {"lesson", learned.lesson},
                        {"seen", LearnedJson::array()},        {"left", LearnedJson::array()},
                        {"predictions", LearnedJson::array()}, {"made", LearnedJson::array()}};
    for (const LearnedKey& key : learned.seen)
        json["seen"].push_back(key_json(key));
    for (const auto& [where, at] : learned.left) {
        json["left"].push_back(key_json({where.first, where.second, at.step}));
        if (at.at_end) json["left"].back()["at_end"] = true;
    }
    for (const auto& [key, prediction] : learned.predictions)
        if (prediction.begun()) json["predictions"].push_back(prediction_json(key, prediction));
    for (const LearnedKey& key : learned.made)
        json["made"].push_back(key_json(key));
    return json;
}

Learned parse_learned(const LearnedJson& json, std::size_t first_step) {
    Learned learned;
    learned.device = json.value("device", "");
    learned.lesson = json.value("lesson", "");
    const auto each = [&](const char* list, const auto& first_id, const auto& add) {
        for (const LearnedJson& entry : json.value(list, LearnedJson::array())) {
            LearnedKey key = parse_key(entry);
            if (!entry.contains("id")) key.id = first_id(key.lesson, entry);
            if (!key.id.empty()) add(std::move(key), entry);
        }
    };
    const auto step_id = [&](const std::string& lesson, const LearnedJson& entry) {
        return first_step_id(lesson, step_in(entry, first_step));
    };
    each("seen", step_id, [&](LearnedKey key, const LearnedJson&) { learned.seen.insert(std::move(key)); });
    each("left", step_id, [&](LearnedKey key, const LearnedJson& entry) {
        learned.left[{key.device, key.lesson}] = {key.id, entry.value("at_end", false)};
    });
    each(
        "predictions",
        [&](const std::string& lesson, const LearnedJson& entry) {
            const std::string question = entry.value("question", "");
            const std::size_t step = step_in(entry, first_step), block = entry.at("block").get<std::size_t>();
            const std::string id = first_question_id(lesson, step, block, question);
            // Use an id that no story has, so that drop_unfit_answers() counts it.
            return id.empty() ? fmt::format("{}.{} {}", step, block, question) : id;
        },
        [&](LearnedKey key, const LearnedJson& entry) {
            learned.predictions.emplace(std::move(key), parse_prediction(entry).second);
        });
    each(
        "made",
        [](const std::string& lesson, const LearnedJson& entry) {
            return first_exercise_id(lesson, entry.at("name").get<std::string>());
        },
        [&](LearnedKey key, const LearnedJson&) { learned.made.insert(std::move(key)); });
    return learned;
}

}  // namespace gridstride
