#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "base/units.h"
#include "ui/panels.h"
#include "ui/widgets.h"

namespace gridstride::ui {

namespace {

struct Column {
    const char* title;
    float share;  ///< of the panel's width
    bool left;    ///< words at the left, numbers at the right
};
constexpr std::array<Column, 11> columns = {{{"#", 0.03F, true},
                                             {"variant", 0.21F, true},
                                             {"elements", 0.10F, false},
                                             {"workgroup", 0.09F, false},
                                             {"grid", 0.08F, false},
                                             {"upload µs", 0.09F, false},
                                             {"kernel µs", 0.09F, false},
                                             {"download µs", 0.09F, false},
                                             {"wall µs", 0.08F, false},
                                             {"GB/s", 0.06F, false},
                                             {"verdict", 0.08F, false}}};

std::string microseconds(const Timing& timing) {
    return timing.samples.empty() ? "–" : format_significant(timing.summary().median / 1e3);
}

std::string verdict_word(const Report& report) {
    switch (report.status) {
        case Status::ok:
            return report.compare.max_abs_error == 0 ? "✓ equal" : "✓ right";
        case Status::mismatch:
            return "✗ wrong";
        case Status::failed:
            return "✗ failed";
        case Status::timed_out:
            return "✗ stopped";
        case Status::refused:
            return "✗ refused";
        case Status::lost:
            return "✗ lost";
    }
    return "";
}

void draw_cells(const Rect& row, Type type, ImU32 color, const std::array<std::string, columns.size()>& cells,
                ImU32 verdict_color) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float width = row.size().x;
    const float y = std::floor((row.min.y + row.max.y - t.line_height(type)) / 2);
    float x = row.min.x;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const float next = x + columns[i].share * width;
        const ImU32 ink = i + 1 == columns.size() ? verdict_color : color;
        const std::string cell = elide(type, cells[i], next - x - t.px(8));
        if (columns[i].left)
            draw_text(list, type, {x, y}, ink, cell);
        else
            draw_text_right(list, type, {next, y}, ink, cell);
        x = next;
    }
}

/// Median times do not change once a run has ended: format them once.
const std::array<std::string, columns.size()>& cells_of(const HistoryEntry& entry) {
    static std::map<std::string, std::array<std::string, columns.size()>> known;
    const Report& report = entry.report;
    const auto found = known.find(report.run_id);
    if (found != known.end()) return found->second;
    const bool launched = report.launch.workgroup_count > 0;
    return known
        .emplace(
            report.run_id,
            std::array<std::string, columns.size()>{
                fmt::format("{}", entry.number),
                report.kernel_name.empty() ? report.variant : report.variant + " · yours",
                format_count(report.values[key::elements]), format_count(report.values[key::workgroup_size]),
                launched ? format_count(report.launch.workgroup_count) : "–",
                microseconds(report.timings.upload), microseconds(report.timings.kernel),
                microseconds(report.timings.download), microseconds(report.timings.wall),
                report.bytes_per_second() > 0 ? format_significant(report.bytes_per_second() / 1e9) : "–",
                verdict_word(report)})
        .first->second;
}

void draw_row(Workspace& workspace, const HistoryEntry& entry, float height) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const Rect row{min, {min.x + ImGui::GetContentRegionAvail().x, min.y + height}};
    const std::string id = fmt::format("runs.row.{}", entry.number);
    if (ImGui::InvisibleButton(id.c_str(), row.size())) session.select_run(entry.number);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const HistoryEntry* selected = session.selected();
    if (ImGui::IsItemHovered() || (selected && selected->number == entry.number))
        list->AddRectFilled({row.min.x - t.px(8), row.min.y}, {row.max.x + t.px(8), row.max.y},
                            palette.raised, t.px(4));
    list->AddLine({row.min.x, row.max.y - 1}, {row.max.x, row.max.y - 1}, with_alpha(palette.line, 0.6F));
    if (!ImGui::IsItemVisible()) return;

    const auto& cells = cells_of(entry);
    const ImU32 verdict = t.as_text(entry.report.status == Status::ok ? Ink::right : Ink::wrong);
    draw_cells(row, Type::mono, palette.text, cells, verdict);
    register_widget(id, "row", row.min, row.max, cells.back());
    const HistoryEntry* pinned = session.pinned();
    if (pinned && pinned->number == entry.number) {
        const float x =
            row.min.x + columns[0].share * row.size().x + text_size(Type::mono, cells[1]).x + t.px(16);
        draw_text(list, Type::mono, {x, std::floor((row.min.y + row.max.y - t.line_height(Type::mono)) / 2)},
                  t.as_text(Ink::kernel), "pinned");
    }
}

}  // namespace

void draw_runs_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    const float inset = t.px(16);
    const float head_height = t.px(80);
    begin_panel("runs", area.min, area.size(), palette.panel, false, 0);
    const bool any = !session.history().empty();

    const float button_height = button_size("Pin").y;
    const float top = area.min.y + t.px(12);
    ImGui::SetCursorScreenPos(
        {area.min.x + inset, top + (button_height - t.line_height(Type::body_strong)) / 2});
    text(Type::body_strong, palette.text, "Runs");
    if (!workspace.notice.empty()) {
        const float x = area.min.x + inset + t.px(64);
        draw_text(ImGui::GetWindowDrawList(), Type::note,
                  {x, top + (button_height - t.line_height(Type::note)) / 2},
                  workspace.notice_is_bad ? t.as_text(Ink::wrong) : palette.quiet,
                  (workspace.notice_is_bad ? "✗ " : "✓ ") + workspace.notice);
        register_widget("runs.notice", "text", {x, top},
                        {x + text_size(Type::note, workspace.notice).x, top + button_height},
                        workspace.notice);
    }
    const ButtonOptions export_options{.enabled = any, .shortcut = "Ctrl+S"};
    const ButtonOptions pin_options{.enabled = any,
                                    .tooltip = "Compare later runs with the selected one: Ctrl+P"};
    float x = area.max.x - inset - button_size("Export CSV", export_options).x;
    ImGui::SetCursorScreenPos({x, top});
    if (button("runs.export", "Export CSV", export_options)) open_export(workspace);
    x -= t.px(8) + button_size("Pin", pin_options).x;
    ImGui::SetCursorScreenPos({x, top});
    if (button("runs.pin", "Pin", pin_options) && session.selected()) session.pin(session.selected()->number);

    const float row_height = t.px(28);
    // Under a scroll bar the rows are narrower; their headings stand over them all the same.
    const float rows_height = static_cast<float>(session.history().size()) * row_height;
    const bool scrolls = rows_height > area.max.y - area.min.y - head_height;
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
    const Rect head{{area.min.x + inset, top + button_height + t.px(4)},
                    {area.max.x - inset - bar, area.min.y + head_height}};
    std::array<std::string, columns.size()> titles;
    for (std::size_t i = 0; i < columns.size(); ++i)
        titles[i] = columns[i].title;
    draw_cells(head, Type::mono, palette.quiet, titles, palette.quiet);
    ImGui::GetWindowDrawList()->AddLine({head.min.x, head.max.y - 1}, {head.max.x, head.max.y - 1},
                                        palette.line);

    ImGui::SetCursorScreenPos({area.min.x, head.max.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {inset, 0});
    ImGui::BeginChild("runs.rows", {area.size().x, area.max.y - head.max.y}, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    if (!any) {
        gap(12);
        text(Type::note, palette.quiet,
             "Every run is kept here, newest first. Change a control, or press F5.");
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    // Newest first, and only the rows that are in view: a session can have thousands.
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(session.history().size()), row_height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            draw_row(workspace, session.history()[session.history().size() - 1 - static_cast<std::size_t>(i)],
                     row_height);
    ImGui::PopStyleVar();
    ImGui::EndChild();
    end_panel();
}

}  // namespace gridstride::ui
