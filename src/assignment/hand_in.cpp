#include "assignment/hand_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "storage/json.h"
#include "storage/json_error_text.h"

namespace gridstride {

namespace {

using HandInJson = nlohmann::ordered_json;

constexpr std::string_view hand_in_kind = "gridstride hand-in";
constexpr SavedFormat hand_in_format{"The hand-in", 1, "; nothing of it was judged"};
constexpr std::size_t max_name_characters = 100;
constexpr std::size_t max_entries = 10'000;  ///< in one list

bool asks(const Assignment& assignment, const ProgressKey& question) {
    return std::ranges::any_of(assignment.lessons, [&](const AssignedLesson& lesson) {
        return lesson.entry->lesson->id == question.lesson &&
               std::ranges::count(lesson.question_ids, question.id) > 0;
    });
}

bool asks_to_make(const Assignment& assignment, const ProgressKey& exercise) {
    return std::ranges::any_of(assignment.exercises, [&](const AssignedExercise& one) {
        return one.entry->lesson->id == exercise.lesson && one.block.id == exercise.id;
    });
}

HandInJson texts_json(const Assignment& assignment, const std::map<KernelKey, KernelEdit>& kernels) {
    HandInJson texts = HandInJson::array();
    for (const AssignedExercise& exercise : assignment.exercises) {
        const auto found = kernels.find(exercise.key());
        if (found == kernels.end()) continue;
        const std::string& text = found->second.source.text;
        if (text.size() > max_answer_bytes)
            throw Refusal("The text of {} has {}, and the limit is {}. Shorten it.", exercise.block.id,
                          format_byte_text(text.size()), format_byte_text(max_answer_bytes));
        if (!is_utf8(text))
            throw Refusal("The text of {} is not UTF-8. Remove the characters that are shown as ?.",
                          exercise.block.id);
        texts.push_back({{"lesson", found->first.first},
                         {"exercise", found->first.second},
                         {"hash", hash_text(text)},
                         {"text", text}});
    }
    return texts;
}

/// Returns the list of this name. Throws std::exception if there is none, or if it is too long.
const HandInJson& list_of(const HandInJson& json, const char* name) {
    const HandInJson& list = json.at(name);
    if (!list.is_array()) throw FileError(fmt::format("\"{}\" is not a list", name));
    if (list.size() > max_entries)
        throw FileError(
            fmt::format("\"{}\" has {} entries, and the limit is {}", name, list.size(), max_entries));
    return list;
}

std::string parse_line(const HandInJson& json) {
    return printable(first_characters(json.get<std::string>(), max_name_characters));
}

HandIn parse(const HandInJson& json) {
    HandIn hand_in{.name = parse_line(json.at("name")),
                   .number = parse_line(json.at("number")),
                   .when = parse_line(json.at("when"))};
    for (const HandInJson& one : list_of(json, "texts")) {
        const KernelKey key{one.at("lesson").get<std::string>(), one.at("exercise").get<std::string>()};
        const auto text = one.at("text").get<std::string>();
        const std::string exercise = quote_text(key.second);
        if (text.size() > max_answer_bytes)
            throw FileError(fmt::format("the text of {} has {}, and the limit is {}", exercise,
                                        format_byte_text(text.size()), format_byte_text(max_answer_bytes)));
        if (text.find('\0') != std::string::npos)
            throw FileError(fmt::format("the text of {} contains zero bytes", exercise));
        if (one.at("hash").get<std::string>() != hash_text(text))
            throw FileError(fmt::format("the text of {} was changed after it was handed in", exercise));
        if (!hand_in.texts.emplace(key, normalize_kernel_text(text)).second)
            throw FileError(fmt::format("it has two texts of {}", exercise));
    }
    for (const HandInJson& one : list_of(json, "predictions"))
        if (one.contains("choice") || one.contains("guess") || one.contains("order") || one.contains("marks"))
            hand_in.answered.emplace(one.at("lesson").get<std::string>(), one.at("id").get<std::string>());
    for (const HandInJson& one : list_of(json, "made"))
        hand_in.solved.emplace(one.at("lesson").get<std::string>(), one.at("id").get<std::string>());
    for (const HandInJson& one : list_of(json, "attempts"))
        hand_in.attempts[{one.at("lesson").get<std::string>(), one.at("id").get<std::string>()}] +=
            one.at("count").get<std::uint64_t>();
    return hand_in;
}

}  // namespace

std::string format_hand_in(const Assignment& assignment, ProgressFile progress, const std::string& name,
                           const std::string& number, std::string_view when) {
    StoryProgress& story_progress = progress.story_progress;
    std::erase_if(story_progress.predictions, [&](const auto& one) { return !asks(assignment, one.first); });
    std::erase_if(story_progress.solved_exercises,
                  [&](const ProgressKey& key) { return !asks_to_make(assignment, key); });
    std::erase_if(story_progress.attempts,
                  [&](const auto& one) { return !asks_to_make(assignment, one.first); });
    story_progress.seen_steps.clear();
    story_progress.last_positions.clear();
    story_progress.lesson.clear();
    HandInJson json = {{"kind", hand_in_kind},           {"schema_version", hand_in_format.version},
                       {"assignment", assignment.title}, {"name", printable(name)},
                       {"number", printable(number)},    {"texts", texts_json(assignment, progress.kernels)}};
    progress.kernels.clear();
    HandInJson answers = progress_file_json(progress, when);
    for (const char* const key : {"app_version", "when", "device", "predictions", "made", "attempts"})
        json[key] = std::move(answers[key]);
    std::string text = json.dump(2) + "\n";
    if (text.size() > max_hand_in_bytes)
        throw Refusal("The hand-in would have {}, and the limit is {}. Shorten your kernels.",
                      format_byte_text(text.size()), format_byte_text(max_hand_in_bytes));
    return text;
}

std::vector<std::string> exercises_without_text(const Assignment& assignment,
                                                const std::map<KernelKey, KernelEdit>& kernels) {
    std::vector<std::string> missing;
    for (const AssignedExercise& exercise : assignment.exercises)
        if (!kernels.contains(exercise.key())) missing.push_back(exercise.block.id);
    return missing;
}

HandIn parse_hand_in(std::string_view text) {
    try {
        const HandInJson json = parse_json(text);
        if (!json.is_object() || !json.contains("kind") || json.at("kind") != hand_in_kind)
            throw FileError("it is not a hand-in of Gridstride");
        require_known_version(json, hand_in_format, "it");
        return parse(json);
    } catch (const FileError&) {
        throw;
    } catch (const std::exception& error) {
        throw FileError(fmt::format("it is damaged: {}", printable(json_error_text(error))));
    }
}

}  // namespace gridstride
