#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/units.h"
#include "present/compare_words.h"
#include "present/run_parameters.h"
#include "present/verdict_words.h"
#include "ui/panels/panels.h"
#include "ui/widgets/hit_area.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

enum class Cell : std::size_t {
    number,
    variant,
    parameters,
    elements,
    workgroup,
    grid,
    upload,
    kernel,
    download,
    wall,
    rate,
    against,
    verdict,
    count
};
using RowCells = std::array<std::string, static_cast<std::size_t>(Cell::count)>;

struct RunColumn {
    Cell cell;
    const char* title;
    float width;  ///< design pixels that its words need
    int keeps;    ///< where the panel is too narrow, the smallest goes first
    bool left;    ///< words at the left, numbers at the right
};
constexpr std::array<RunColumn, static_cast<std::size_t>(Cell::count)> all_columns = {
    {{Cell::number, "#", 36, 10, true},
     {Cell::variant, "variant", 176, 10, true},
     {Cell::parameters, "parameters", 168, 7, true},
     {Cell::elements, "elements", 96, 5, false},
     {Cell::workgroup, "workgroup", 84, 6, false},
     {Cell::grid, "grid", 76, 3, false},
     {Cell::upload, "upload µs", 84, 1, false},
     {Cell::kernel, "kernel µs", 84, 9, false},
     {Cell::download, "download µs", 100, 0, false},
     {Cell::wall, "wall µs", 76, 4, false},
     {Cell::rate, "GB/s", 60, 2, false},
     {Cell::against, "kernel against the pinned", 208, 8, false},
     {Cell::verdict, "verdict", 88, 9, false}}};

struct ShownColumn {
    const RunColumn* column;
    float width;  ///< pixels
};

/// The columns that are there only while they have something to say.
struct Extras {
    std::string_view parameters;  ///< the longest ones of a run that is away from its lesson's defaults
    bool against;                 ///< a run is pinned
};
Extras extras_of(const Session& session) {
    static LongestParameters parameters;
    return {parameters.among(session.history()), session.pinned() != nullptr};
}

/// The columns that have room, spread over the width once the parameters can be read whole.
std::vector<ShownColumn> columns_in(float width, Extras extras) {
    std::vector<const RunColumn*> wanted;
    float needed = 0;
    for (const RunColumn& column : all_columns) {
        if (column.cell == Cell::parameters && extras.parameters.empty()) continue;
        if (column.cell == Cell::against && !extras.against) continue;
        wanted.push_back(&column);
        needed += theme().px(column.width);
    }
    while (needed > width && wanted.size() > 1) {
        const auto least =
            std::min_element(wanted.begin(), wanted.end(),
                             [](const RunColumn* a, const RunColumn* b) { return a->keeps < b->keeps; });
        needed -= theme().px((*least)->width);
        wanted.erase(least);
    }
    std::vector<ShownColumn> shown;
    for (const RunColumn* column : wanted) {
        float own = theme().px(column->width);
        if (column->cell == Cell::parameters) {
            const float whole = text_size(Type::mono, extras.parameters).x + theme().px(16);
            const float more = std::clamp(whole - own, 0.0F, std::max(0.0F, width - needed));
            own += more;
            needed += more;
        }
        shown.push_back({column, own});
    }
    for (ShownColumn& column : shown)
        column.width *= width / needed;
    return shown;
}

/// What a row's colours depend on beside the palette.
struct RowInk {
    ImU32 text, verdict, against;
};

void draw_cells(const Rect& row, const std::vector<ShownColumn>& columns, const RowCells& cells,
                const RowInk& ink) {
    const Theme& t = theme();
    constexpr Type type = Type::mono;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float y = std::floor((row.min.y + row.max.y - t.line_height(type)) / 2);
    float x = row.min.x;
    for (const ShownColumn& shown : columns) {
        const float next = x + shown.width;
        const Cell which = shown.column->cell;
        const ImU32 color = which == Cell::verdict   ? ink.verdict
                            : which == Cell::against ? ink.against
                                                     : ink.text;
        const std::string cell = elide(type, cells[static_cast<std::size_t>(which)], next - x - t.px(8));
        if (shown.column->left)
            draw_text(list, type, {x, y}, color, cell);
        else
            draw_text_right(list, type, {next, y}, color, cell);
        x = next;
    }
}

/// Median times do not change once a run has ended: format them once.
const RowCells& cells_of(const HistoryEntry& entry) {
    static std::map<std::string, RowCells> known;
    const Report& report = entry.report;
    const auto found = known.find(report.run_id);
    if (found != known.end()) return found->second;
    const bool launched = report.launch.workgroup_count() > 0;
    return known
        .emplace(report.run_id,
                 RowCells{fmt::format("{}", entry.number),
                          report.kernel_name().empty() ? report.experiment.variant
                                                       : report.experiment.variant + " · yours",
                          parameters_in_words(report), format_count(domain_of(report.experiment).product()),
                          format_count(workgroup_of(report.experiment.values).product()),
                          launched ? format_count(report.launch.workgroup_count()) : "–",
                          microseconds(report.timings.upload), microseconds(report.timings.kernel),
                          microseconds(report.timings.download), microseconds(report.timings.wall),
                          report.bytes_per_second() > 0 ? format_significant(report.bytes_per_second() / 1e9)
                                                        : "–",
                          "", verdict_word(report)})
        .first->second;
}

/// A run's kernel against the pinned run's, known once for each pair.
const DifferenceWords& against(const HistoryEntry& entry, const HistoryEntry& pinned) {
    static std::map<std::pair<std::string, std::string>, DifferenceWords> known;
    const auto [found, is_new] = known.try_emplace({pinned.report.run_id, entry.report.run_id});
    if (!is_new) return found->second;
    if (entry.report.experiment.lesson != pinned.report.experiment.lesson)
        found->second = {"", "another lesson", Ink::quiet};
    else
        found->second = difference_words(median_interval(entry.report.timings.kernel.samples),
                                         median_interval(pinned.report.timings.kernel.samples));
    return found->second;
}

/// The difference where there is one, else why there is none.
std::string against_text(const HistoryEntry& entry, const HistoryEntry& pinned) {
    if (entry.number == pinned.number) return "baseline";
    const DifferenceWords& words = against(entry, pinned);
    return words.ink == Ink::quiet ? words.verdict : words.percent;
}

/// The run's parameters for scripts, and whole for a mouse that rests on a cell too narrow for them.
/// True when the mouse is on the cell of words that are cut.
bool explain_parameters(const std::string& id, const Rect& row, const std::vector<ShownColumn>& columns,
                        const std::string& words) {
    float x = row.min.x;
    for (const ShownColumn& shown : columns) {
        const float next = x + shown.width;
        if (shown.column->cell == Cell::parameters) {
            register_widget(id, "text", {x, row.min.y}, {next, row.max.y}, words);
            Item cell;
            cell.rect = {{x, row.min.y}, {next, row.max.y}};
            const float mouse = ImGui::GetIO().MousePos.x;
            cell.hovered = ImGui::IsItemHovered() && mouse >= x && mouse < next;
            if (!cell.hovered || elide(Type::mono, words, next - x - theme().px(8)) == words) return false;
            show_tooltip_when_due(cell, id_of(id), words);
            return true;
        }
        x = next;
    }
    return false;
}

void draw_row(Workspace& workspace, const HistoryEntry& entry, float height) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const Rect row{min, {min.x + ImGui::GetContentRegionAvail().x, min.y + height}};
    const std::string id = fmt::format("runs.row.{}", entry.number);
    if (hit_area(id, row.size())) session.select_run(entry.number);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const HistoryEntry* selected = session.selected();
    if (ImGui::IsItemHovered() || (selected && selected->number == entry.number))
        list->AddRectFilled({row.min.x - t.px(8), row.min.y}, {row.max.x + t.px(8), row.max.y},
                            palette.raised, t.px(4));
    list->AddLine({row.min.x, row.max.y - 1}, {row.max.x, row.max.y - 1}, with_alpha(palette.line, 0.6F));
    if (!ImGui::IsItemVisible()) return;

    const HistoryEntry* pinned = session.pinned();
    const bool is_pinned = pinned && pinned->number == entry.number;
    const std::vector<ShownColumn> columns = columns_in(row.size().x, extras_of(session));
    RowCells cells = cells_of(entry);
    RowInk ink{palette.text, t.as_text(ink_of(entry.report.status)), palette.quiet};
    const bool explained = explain_parameters(id + ".parameters", row, columns,
                                              cells[static_cast<std::size_t>(Cell::parameters)]);
    if (pinned) {
        std::string& cell = cells[static_cast<std::size_t>(Cell::against)];
        cell = against_text(entry, *pinned);
        const DifferenceWords& words = against(entry, *pinned);
        if (!is_pinned && words.ink != Ink::quiet) ink.against = t.as_text(words.ink);
        register_widget(id + ".against", "text", row.min, row.max,
                        is_pinned ? cell : words.verdict + " " + words.percent);
        if (!is_pinned && !explained)
            tooltip(fmt::format("Kernel against run {}: {}{}", pinned->number, words.verdict,
                                words.percent.empty() ? "" : ", " + words.percent));
    }
    draw_cells(row, columns, cells, ink);
    register_widget(id, "row", row.min, row.max, cells.back());
    if (is_pinned) {
        const float x = row.min.x + columns[0].width + text_size(Type::mono, cells[1]).x + t.px(16);
        const float room = row.min.x + columns[0].width + columns[1].width - x;
        draw_text(list, Type::mono, {x, std::floor((row.min.y + row.max.y - t.line_height(Type::mono)) / 2)},
                  t.as_text(Ink::kernel), elide(Type::mono, "pinned", room));
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
    const bool rows = session.history_rows() > 0;

    const float button_height = button_size("Pin").y;
    const float top = area.min.y + t.px(12);
    ImGui::SetCursorScreenPos(
        {area.min.x + inset, top + (button_height - t.line_height(Type::body_strong)) / 2});
    text(Type::body_strong, palette.text, "Runs");
    if (!workspace.notice.empty()) {
        const float x = area.min.x + inset + t.px(64);
        const float room = area.max.x - inset - x - button_size("Compare files …").x - button_size("Pin").x -
                           button_size("Export CSV", {.shortcut = "Ctrl+S"}).x - t.px(32);
        draw_text(ImGui::GetWindowDrawList(), Type::note,
                  {x, top + (button_height - t.line_height(Type::note)) / 2},
                  workspace.notice_is_bad ? t.as_text(Ink::wrong) : palette.quiet,
                  elide(Type::note, (workspace.notice_is_bad ? "✗ " : "✓ ") + workspace.notice, room));
        register_widget("runs.notice", "text", {x, top},
                        {x + text_size(Type::note, workspace.notice).x, top + button_height},
                        workspace.notice);
    }
    const ButtonOptions export_options{.enabled = rows, .shortcut = "Ctrl+S"};
    const ButtonOptions pin_options{.enabled = any,
                                    .tooltip = "Compare later runs with the selected one: Ctrl+P"};
    float x = area.max.x - inset - button_size("Export CSV", export_options).x;
    ImGui::SetCursorScreenPos({x, top});
    if (button("runs.export", "Export CSV", export_options)) open_export(workspace);
    x -= t.px(8) + button_size("Pin", pin_options).x;
    ImGui::SetCursorScreenPos({x, top});
    if (button("runs.pin", "Pin", pin_options) && session.selected()) session.pin(session.selected()->number);

    const ButtonOptions compare_options{.tooltip = "Set two CSV files against each other"};
    x -= t.px(8) + button_size("Compare files …", compare_options).x;
    ImGui::SetCursorScreenPos({x, top});
    if (button("runs.compare", "Compare files …", compare_options)) {
        workspace.compare.open = true;
        workspace.compare.wants_focus = true;
    }

    const float row_height = t.px(28);
    // Under a scroll bar the rows are narrower; their headings stand over them all the same.
    const float rows_height = static_cast<float>(session.history().size()) * row_height;
    const bool scrolls = rows_height > area.max.y - area.min.y - head_height;
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
    const Rect head{{area.min.x + inset, top + button_height + t.px(4)},
                    {area.max.x - inset - bar, area.min.y + head_height}};
    RowCells titles;
    for (const RunColumn& column : all_columns)
        titles[static_cast<std::size_t>(column.cell)] = column.title;
    draw_cells(head, columns_in(head.size().x, extras_of(session)), titles,
               {palette.quiet, palette.quiet, palette.quiet});
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
