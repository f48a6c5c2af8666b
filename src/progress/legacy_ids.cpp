#include "progress/legacy_ids.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "storage/json.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

struct LegacyQuestion {
    std::size_t block = 0;
    std::string text, id;
};
struct LegacyStep {
    std::string id;
    std::vector<LegacyQuestion> questions;
};
struct LegacyLesson {
    std::vector<LegacyStep> steps;
    std::map<std::string, std::string, std::less<>> exercises;
};
using LegacyIds = std::map<std::string, LegacyLesson, std::less<>>;

LegacyIds read_legacy_ids() {
    LegacyIds lessons;
    const auto file = data_directory() / "first_ids.json";
    try {
        for (const auto& entry : parse_json(read_file(file, std::uintmax_t{1} << 20))) {
            LegacyLesson& lesson = lessons[entry.at("lesson").get<std::string>()];
            lesson.exercises = entry.at("exercises").get<decltype(lesson.exercises)>();
            for (const auto& step : entry.at("steps")) {
                LegacyStep& one = lesson.steps.emplace_back();
                one.id = step.at("id").get<std::string>();
                for (const auto& question : step.at("questions"))
                    one.questions.push_back({question.at("block").get<std::size_t>(),
                                             question.at("question").get<std::string>(),
                                             question.at("id").get<std::string>()});
            }
        }
    } catch (const std::exception& error) {
        notify_user(
            fmt::format("{} cannot be read ({}). Answers saved by an earlier version cannot be found. "
                        "Reinstall Gridstride.",
                        quote_path(file), printable(error.what())));
        lessons.clear();
    }
    return lessons;
}

const LegacyLesson& find_legacy_lesson(std::string_view id) {
    static const LegacyIds lessons = read_legacy_ids();
    static const LegacyLesson none;
    const auto found = lessons.find(id);
    return found == lessons.end() ? none : found->second;
}

}  // namespace

std::string legacy_step_id(std::string_view lesson, std::size_t step) {
    const std::vector<LegacyStep>& steps = find_legacy_lesson(lesson).steps;
    return step < steps.size() ? steps[step].id : std::string();
}

std::string legacy_question_id(std::string_view lesson, std::size_t step, std::size_t block,
                               std::string_view question) {
    const std::vector<LegacyStep>& steps = find_legacy_lesson(lesson).steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const LegacyQuestion& one : steps[i].questions)
            if (question.empty() ? i == step && one.block == block : one.text == question) return one.id;
    return {};
}

std::string legacy_exercise_id(std::string_view lesson, std::string_view name) {
    const auto& exercises = find_legacy_lesson(lesson).exercises;
    const auto found = exercises.find(name);
    return found == exercises.end() ? std::string(name) : found->second;
}

}  // namespace gridstride
