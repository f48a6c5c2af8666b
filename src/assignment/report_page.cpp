#include "assignment/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "assignment/html_page.h"
#include "base/text.h"

namespace gridstride {

namespace {

const AssignedExercise* find_exercise(const Assignment& assignment, const GradeRow& row) {
    const auto found = std::ranges::find_if(assignment.exercises, [&](const AssignedExercise& exercise) {
        return exercise.entry->id == get_cell(row, "lesson") &&
               exercise.block.id == get_cell(row, "exercise");
    });
    return found == assignment.exercises.end() ? nullptr : &*found;
}

/// Returns a list of the requirements in the words of the exercise, each with its result. cell: the column
/// `requirements`.
std::string format_requirements(const AssignedExercise& exercise, const std::string& cell) {
    std::string items;
    std::vector<MakeRequirement> remaining = exercise.block.requirements;
    for (const std::string_view part : split(cell, ';')) {
        const std::string_view one = trim(part);
        const std::size_t colon = one.rfind(": ");
        if (colon == std::string_view::npos) continue;
        const std::string_view text = one.substr(0, colon), result = one.substr(colon + 2);
        const auto found = std::ranges::find(remaining, text, &MakeRequirement::text);
        const std::string sentence = found == remaining.end() ? std::string(text) : found->sentence;
        if (found != remaining.end()) remaining.erase(found);
        items += fmt::format("<li>{} {}: {}</li>\n",
                             result == "ok"       ? "✓"
                             : result == "failed" ? "✗"
                                                  : "○",
                             escape_html(sentence), escape_html(result));
    }
    return items.empty() ? items : "<ul>\n" + items + "</ul>\n";
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

std::string format_exercise(const AssignedExercise& exercise, const HandIn& hand_in, const GradeRow& row) {
    const auto get = [&](std::string_view column) { return escape_html(get_cell(row, column)); };
    std::string body = fmt::format("<h2>{}: {}</h2>\n", escape_html(exercise.entry->title), get("exercise")) +
                       format_points(row);
    for (const std::string_view column : {"first_failure", "undecided"})
        if (const std::string text = get(column); !text.empty()) body += fmt::format("<p>{}</p>\n", text);
    if (const std::string picture = get(picture_column); !picture.empty())
        body += fmt::format("<p><img alt=\"The first wrong numbers\" src=\"data:image/svg+xml,{}\"></p>\n",
                            picture);
    body += format_requirements(exercise, get_cell(row, "requirements"));
    if (const auto text = hand_in.texts.find(exercise.key()); text != hand_in.texts.end())
        body += fmt::format("<pre>{}</pre>\n", escape_html(text->second));
    return body;
}

}  // namespace

std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<GradeRow>& rows) {
    std::string body =
        fmt::format("<p>{} · {}</p>\n", escape_html(hand_in.name), escape_html(hand_in.number));
    for (const GradeRow& row : rows) {
        const AssignedExercise* const exercise = find_exercise(assignment, row);
        body += exercise ? format_exercise(*exercise, hand_in, row) : format_answers(row);
    }
    return format_html_page("en", assignment.title, "", body);
}

}  // namespace gridstride
