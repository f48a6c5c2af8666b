#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float reading_row_height = 24, min_cell_width = 88, max_cell_width = 200, max_answers_height = 168;

/// Draws as many columns as fit; "…" marks the rest.
void draw_first_rows(const std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) return;
    const Theme& t = theme();
    std::size_t columns = 0;
    for (const std::vector<std::string>& row : rows)
        columns = std::max(columns, row.size());
    const float room = content_width() - t.px(24);
    const auto shown =
        std::min(columns, static_cast<std::size_t>(std::max(1.0F, room / t.px(min_cell_width))));
    const float width = std::min(room / static_cast<float>(shown), t.px(max_cell_width));
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const glm::vec2 min = ImGui::GetCursorScreenPos();
        ImGui::Dummy({room, t.px(reading_row_height)});
        const float y = std::floor(min.y + (t.px(reading_row_height) - t.line_height(TextStyle::mono)) / 2);
        ImGui::GetWindowDrawList()->AddLine({min.x, min.y + t.px(reading_row_height) - 1},
                                            {min.x + room, min.y + t.px(reading_row_height) - 1},
                                            with_alpha(t.palette().line, 0.6F));
        glm::vec2 at(min.x, y);
        for (std::size_t i = 0; i < std::min(shown, rows[n].size()); ++i)
            at.x = draw_cell(at, width, true, t.palette().text, rows[n][i]);
        if (rows[n].size() > shown)
            draw_text(ImGui::GetWindowDrawList(), TextStyle::mono, at, t.palette().quiet, "…");
        register_widget(fmt::format("reading.row.{}", n), "row", min,
                        {min.x + room, min.y + t.px(reading_row_height)}, join(rows[n], " | "));
    }
    gap(12);
}

/// Draws the answers, scrolling above max_answers_height. Returns the index of the one that was pressed.
std::optional<std::size_t> draw_answers(const std::vector<FileQuestion::Answer>& answers, float& height) {
    const Theme& t = theme();
    std::optional<std::size_t> pressed;
    const float shown = std::clamp(height, button_size(tr("Cancel")).y, t.px(max_answers_height));
    ImGui::BeginChild("reading.answers", {0, shown}, false, ImGuiWindowFlags_NoNav);
    const float top = ImGui::GetCursorPosY();
    {
        ButtonRows rows(content_width() - ImGui::GetStyle().ScrollbarSize, t.px(8));
        for (std::size_t i = 0; i < answers.size(); ++i)
            if (rows.add(fmt::format("reading.answer.{}", i), answers[i].label)) pressed = i;
    }
    update_height(height, ImGui::GetCursorPosY() - top);
    ImGui::EndChild();
    return pressed;
}

}  // namespace

bool draw_input_question(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    InputFileState& reading = workspace.input_file_state;
    if (!reading.question) return false;
    bool keep_open = begin_dialog("reading", tr("How should this file be read?"), screen.min, screen.max,
                                  {t.px(640), std::max(reading.dialog_height, t.px(200))});
    named_text("reading.what", TextStyle::body, t.palette().text,
               fmt::format("{}: {}", printable(std::filesystem::path(reading.path).filename().native()),
                           reading.question->text));
    gap(12);
    draw_first_rows(reading.question->rows);
    const std::optional<std::size_t> pressed =
        draw_answers(reading.question->answers, reading.answers_height);
    gap(20);
    if (button("reading.cancel", tr("Cancel"), {.shortcut = "Esc"})) keep_open = false;
    update_height(reading.dialog_height, ImGui::GetCursorPosY() + t.px(24));
    end_dialog();
    if (!keep_open) {
        reading = {};
    } else if (pressed) {
        reading = {.path = reading.path, .choice = reading.question->answers[*pressed].choice};
        workspace.data_file = {.path = reading.path, .accepts_at_once = true};
        workspace.dialog = Dialog::open_data;
    }
    return keep_open;
}

}  // namespace gridstride::ui
