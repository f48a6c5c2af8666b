#include "learned/first_ids.h"

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

struct FirstQuestion {
    std::size_t block = 0;
    std::string text, id;
};
struct FirstStep {
    std::string id;
    std::vector<FirstQuestion> questions;
};
struct FirstLesson {
    std::vector<FirstStep> steps;
    std::map<std::string, std::string, std::less<>> exercises;
};
using FirstIds = std::map<std::string, FirstLesson, std::less<>>;

FirstIds read_first_ids() {
    FirstIds lessons;
    const auto file = data_directory() / "first_ids.json";
    try {
        for (const auto& entry : parse_json(read_file(file, std::uintmax_t{1} << 20))) {
            FirstLesson& lesson = lessons[entry.at("lesson").get<std::string>()];
            lesson.exercises = entry.at("exercises").get<decltype(lesson.exercises)>();
            for (const auto& step : entry.at("steps")) {
                FirstStep& one = lesson.steps.emplace_back();
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
                        quoted_path(file), printable(error.what())));
        lessons.clear();
    }
    return lessons;
}

const FirstLesson& first_lesson(std::string_view id) {
    static const FirstIds lessons = read_first_ids();
    static const FirstLesson none;
    const auto found = lessons.find(id);
    return found == lessons.end() ? none : found->second;
}

}  // namespace

std::string first_step_id(std::string_view lesson, std::size_t step) {
    const std::vector<FirstStep>& steps = first_lesson(lesson).steps;
    return step < steps.size() ? steps[step].id : std::string();
}

std::string first_question_id(std::string_view lesson, std::size_t step, std::size_t block,
                              std::string_view question) {
    const std::vector<FirstStep>& steps = first_lesson(lesson).steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const FirstQuestion& one : steps[i].questions)
            if (question.empty() ? i == step && one.block == block : one.text == question) return one.id;
    return {};
}

std::string first_exercise_id(std::string_view lesson, std::string_view name) {
    const auto& exercises = first_lesson(lesson).exercises;
    const auto found = exercises.find(name);
    return found == exercises.end() ? std::string(name) : found->second;
}

}  // namespace gridstride
