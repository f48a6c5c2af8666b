#include "assignment/report_page.h"

#include <fmt/format.h>

#include "assignment/html_page.h"

namespace gridstride {

std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<GradeRow>& rows) {
    std::string body =
        fmt::format("<p>{} · {}</p>\n", escape_html(hand_in.name), escape_html(hand_in.number));
    for (const GradeRow& row : rows) {
        const auto get = [&](std::string_view column) { return escape_html(get_cell(row, column)); };
        body += fmt::format("<h2>{} {}</h2>\n<p>{}: {} of {} points</p>\n", get("lesson"), get("exercise"),
                            get("status"), get("points"), get("max_points"));
        for (const std::string_view column : {"first_failure", "requirements", "undecided"})
            if (const std::string text = get(column); !text.empty()) body += fmt::format("<p>{}</p>\n", text);
        if (const std::string picture = get(picture_column); !picture.empty())
            body += fmt::format(
                "<p><img alt=\"The first wrong numbers\" src=\"data:image/svg+xml,{}\"></p>\n", picture);
        for (const AssignedExercise& exercise : assignment.exercises) {
            const auto text = hand_in.texts.find(exercise.key());
            if (exercise.entry->id == get_cell(row, "lesson") &&
                exercise.block.id == get_cell(row, "exercise") && text != hand_in.texts.end())
                body += fmt::format("<pre>{}</pre>\n", escape_html(text->second));
        }
    }
    return format_html_page("en", assignment.title, "", body);
}

}  // namespace gridstride
