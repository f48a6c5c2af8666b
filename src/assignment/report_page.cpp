#include "assignment/report_page.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gridstride {

namespace {

constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{0}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f2f2f2; padding: 1em; overflow-x: auto; }}
</style>
</head>
<body>
<h1>{0}</h1>
<p>{1} · {2}</p>
)";

/// Escapes the characters that HTML gives a meaning, and those that no page should have.
std::string escape_html(std::string_view text) {
    std::string escaped;
    for (const char c : escape_controls(text))
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    return escaped;
}

}  // namespace

std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<GradeRow>& rows) {
    std::string page = fmt::format(page_head, escape_html(assignment.title), escape_html(hand_in.name),
                                   escape_html(hand_in.number));
    for (const GradeRow& row : rows) {
        const auto get = [&](std::string_view column) { return escape_html(get_cell(row, column)); };
        page += fmt::format("<h2>{} {}</h2>\n<p>{}: {} of {} points</p>\n", get("lesson"), get("exercise"),
                            get("status"), get("points"), get("max_points"));
        for (const std::string_view column : {"first_failure", "requirements", "undecided"})
            if (const std::string text = get(column); !text.empty()) page += fmt::format("<p>{}</p>\n", text);
        if (const std::string picture = get(picture_column); !picture.empty())
            page += fmt::format(
                "<p><img alt=\"The first wrong numbers\" src=\"data:image/svg+xml,{}\"></p>\n", picture);
        for (const AssignedExercise& exercise : assignment.exercises) {
            const auto text = hand_in.texts.find(exercise.key());
            if (exercise.entry->id == get_cell(row, "lesson") &&
                exercise.block.id == get_cell(row, "exercise") && text != hand_in.texts.end())
                page += fmt::format("<pre>{}</pre>\n", escape_html(text->second));
        }
    }
    return page + "</body>\n</html>\n";
}

}  // namespace gridstride
