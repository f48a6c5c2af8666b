#include "assignment/report_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "assignment/html_page.h"

namespace gridstride {

namespace {

constexpr std::string_view report_style = R"(ul.requirements { list-style: none; padding: 0; }
ul.requirements li { margin-bottom: 0.5em; }
)";

/// Returns a list of the requirements in the words of the exercise, each with its result and what was found.
std::string format_requirements(const std::vector<GradedRequirement>& requirements) {
    std::string items;
    for (const auto& [requirement, result, finding] : requirements)
        items += fmt::format("<li>{} {}: {}{}</li>\n", mark(result), escape_html(requirement.sentence),
                             name(result), finding.empty() ? "" : "<br>" + escape_html(finding));
    return items.empty() ? items : "<ul class=\"requirements\">\n" + items + "</ul>\n";
}

std::string format_points(const GradeRow& row) {
    const auto get = [&](std::string_view column) { return escape_html(get_cell(row, column)); };
    if (get("points").empty())
        return fmt::format("<p>{}: your teacher decides, of {} points</p>\n", get("status"),
                           get("max_points"));
    return fmt::format("<p>{}: {} of {} points</p>\n", get("status"), get("points"), get("max_points"));
}

std::string format_answers(const GradeRow& row) {
    const auto get = [&](std::string_view column) { return escape_html(get_cell(row, column)); };
    std::string line = fmt::format("<h2>Questions</h2>\n<p>{} of {} answered, as the file reports",
                                   get("answers_reported"), get("question_count"));
    if (get("max_points") != "0") line += fmt::format(": {} of {} points", get("points"), get("max_points"));
    return line + "</p>\n";
}

std::string format_exercise(const AssignedExercise& exercise, const HandIn& hand_in,
                            const ExerciseGrade& grade) {
    const Variant* const variant = find_exercise(*exercise.entry->lesson, exercise.block.exercise);
    std::string body = fmt::format("<h2>{}: {}</h2>\n", escape_html(exercise.entry->title),
                                   escape_html(variant ? variant->title : exercise.block.id)) +
                       format_points(grade.row);
    if (!grade.problem.empty()) body += fmt::format("<p>{}</p>\n", escape_html(grade.problem));
    body += format_requirements(grade.requirements);
    if (!grade.picture.empty())
        body += fmt::format("<p><img alt=\"The first wrong numbers\" src=\"data:image/svg+xml,{}\"></p>\n",
                            escape_html(grade.picture));
    if (const auto text = hand_in.texts.find(exercise.key()); text != hand_in.texts.end())
        body += fmt::format("<pre>{}</pre>\n", escape_html(text->second));
    return body;
}

}  // namespace

std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<ExerciseGrade>& grades, const GradeRow& answers) {
    std::string body =
        fmt::format("<p>{} · {}</p>\n", escape_html(hand_in.name), escape_html(hand_in.number));
    for (std::size_t i = 0; i < grades.size(); ++i)
        body += format_exercise(assignment.exercises[i], hand_in, grades[i]);
    return format_html_page("en", assignment.title, report_style, body + format_answers(answers));
}

}  // namespace gridstride
