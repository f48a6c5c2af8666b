#include "ui/panels/runs_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/units.h"
#include "present/compare.h"
#include "present/verdict_text.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

enum class Cell : std::size_t {
    number,
    lesson,
    variant,
    parameters,
    elements,
    workgroup,
    grid,
    upload,
    kernel,
    download,
    whole,
    rate,
    difference,
    verdict,
    count
};
using RowCells = std::array<std::string, static_cast<std::size_t>(Cell::count)>;

struct RunColumn {
    Cell cell;
    const char* title;
    float width;   ///< minimum width in design pixels
    int priority;  ///< if the panel is too narrow, the column with the smallest value is dropped first
    bool left;     ///< text is left-aligned, numbers are not
};
constexpr std::array<RunColumn, static_cast<std::size_t>(Cell::count)> all_columns = {
    {{Cell::number, "#", 36, 10, true},
     {Cell::lesson, tr_later("lesson"), 128, 8, true},
     {Cell::variant, tr_later("variant"), 176, 10, true},
     {Cell::parameters, tr_later("parameters"), 168, 7, true},
     {Cell::elements, tr_later("elements"), 96, 5, false},
     {Cell::workgroup, tr_later("workgroup"), 84, 6, false},
     {Cell::grid, tr_later("grid"), 76, 3, false},
     {Cell::upload, tr_later("upload µs"), 84, 1, false},
     {Cell::kernel, tr_later("kernel µs"), 84, 9, false},
     {Cell::download, tr_later("download µs"), 100, 0, false},
     {Cell::whole, tr_later("whole µs"), 84, 4, false},
     {Cell::rate, "GB/s", 84, 2, false},
     {Cell::difference, tr_later("kernel against pinned"), 208, 8, false},
     {Cell::verdict, tr_later("verdict"), 112, 9, false}}};

bool is_result(Cell cell) {
    return cell >= Cell::upload;
}

struct ShownColumn {
    const RunColumn* column;
    float left, right;  ///< pixels from the row's left edge
};

/// Returns the columns that fit, stretched to the width. Two columns are optional: the parameters, if a run
/// differs from its lesson's defaults, and the difference, if a run is pinned.
std::vector<ShownColumn> fit_columns(float width, const Session& session) {
    const Theme& t = theme();
    const std::string_view parameters = session.runs().longest_parameters();
    std::vector<const RunColumn*> visible_columns;
    float needed_width = 0;
    for (const RunColumn& column : all_columns) {
        if (column.cell == Cell::parameters && parameters.empty()) continue;
        if (column.cell == Cell::difference && !session.runs().pinned()) continue;
        visible_columns.push_back(&column);
        needed_width += t.px(column.width);
    }
    while (needed_width > width && visible_columns.size() > 1) {
        const auto lowest_priority = std::ranges::min_element(visible_columns, {}, &RunColumn::priority);
        needed_width -= t.px((*lowest_priority)->width);
        visible_columns.erase(lowest_priority);
    }
    // The column of the parameters takes the spare width that it needs.
    const float full_width = text_size(TextStyle::mono, parameters).x + t.px(16);
    const float room = std::max(0.0F, width - needed_width);
    const auto width_for = [&](const RunColumn& column) {
        const float own = t.px(column.width);
        return column.cell == Cell::parameters ? own + std::clamp(full_width - own, 0.0F, room) : own;
    };
    needed_width = 0;
    for (const RunColumn* column : visible_columns)
        needed_width += width_for(*column);
    std::vector<ShownColumn> shown;
    float left = 0;
    for (const RunColumn* column : visible_columns) {
        shown.push_back({column, left, left + width_for(*column) * width / needed_width});
        left = shown.back().right;
    }
    return shown;
}

struct RowColors {
    ImU32 text, verdict, difference;
};

void draw_cells(const Rect& row, const std::vector<ShownColumn>& columns, const RowCells& cells,
                const RowColors& color_role) {
    const float y = std::floor((row.min.y + row.max.y - theme().line_height(TextStyle::mono)) / 2);
    for (const auto& [column, left, right] : columns)
        draw_cell({row.min.x + left, y}, right - left, column->left,
                  column->cell == Cell::verdict      ? color_role.verdict
                  : column->cell == Cell::difference ? color_role.difference
                                                     : color_role.text,
                  cells[static_cast<std::size_t>(column->cell)]);
}

struct RunRow {
    RowCells cells;
    DifferenceText difference;
};

/// Returns the cached text. A finished run does not change, so the text of each pair of runs is built once.
const RunRow& get_run_row(const HistoryEntry& entry, const HistoryEntry* pinned) {
    static std::map<std::pair<std::string, std::string>, RunRow> cache;
    const Report& report = entry.report;
    const auto [found, is_new] = cache.try_emplace({report.run_id, pinned ? pinned->report.run_id : ""});
    auto& [cells, difference] = found->second;
    if (!is_new) return found->second;
    const auto other =
        pinned ? find_work_mismatch(report.experiment, pinned->report.experiment) : std::nullopt;
    if (pinned && entry.number == pinned->number)
        difference = {"", tr("baseline"), ColorRole::quiet};
    else if (other)
        difference = {"", other->label, ColorRole::quiet};
    else if (pinned)
        difference = describe_difference(summarize(report.timings.kernel.samples),
                                         summarize(pinned->report.timings.kernel.samples));
    const bool launched = report.launch.workgroup_count() > 0;
    cells = {fmt::format("{}", entry.number), report.experiment.lesson,
             report.kernel_name().empty() ? report.experiment.variant
                                          : tr("{} · yours", report.experiment.variant),
             describe_parameters(report),
             has_programs(report.experiment) ? "–" : format_count(domain_extent(report.experiment).product()),
             format_count(requested_workgroup(report.experiment.values).product()),
             launched ? format_count(report.launch.workgroup_count()) : "–",
             microseconds(report.timings.upload), microseconds(report.timings.kernel),
             microseconds(report.timings.download), microseconds(report.timings.wall),
             report.bytes_per_second() > 0 ? format_significant(report.bytes_per_second() / 1e9) : "–",
             // The difference, else the reason why there is none.
             difference.color_role == ColorRole::quiet ? difference.verdict : difference.percent,
             verdict_word(report)};
    return found->second;
}

/// Registers the run's parameters for scripts, and shows them in a tooltip if the cell is too narrow. Returns
/// true if the mouse is over a shortened cell.
bool show_parameters(const std::string& id, const Rect& row, const std::vector<ShownColumn>& columns,
                     const std::string& words) {
    const auto shown =
        std::ranges::find(columns, Cell::parameters, [](const ShownColumn& one) { return one.column->cell; });
    if (shown == columns.end()) return false;
    Item cell;
    cell.rect = {{row.min.x + shown->left, row.min.y}, {row.min.x + shown->right, row.max.y}};
    register_place(id, cell.rect, words);
    const float mouse = ImGui::GetIO().MousePos.x;
    cell.is_hovered = ImGui::IsItemHovered() && mouse >= cell.rect.min.x && mouse < cell.rect.max.x;
    if (!cell.is_hovered || elide(TextStyle::mono, words, cell.rect.width() - theme().px(8)) == words)
        return false;
    show_delayed_tooltip(cell, make_widget_id(id), words);
    return true;
}

}  // namespace

void draw_runs_heading(const Session& session, const Rect& area) {
    const Palette& palette = theme().palette();
    RowCells titles;
    for (const RunColumn& column : all_columns)
        titles[static_cast<std::size_t>(column.cell)] = tr(column.title);
    draw_cells(area, fit_columns(area.size().x, session), titles,
               {palette.quiet, palette.quiet, palette.quiet});
    ImGui::GetWindowDrawList()->AddLine({area.min.x, area.max.y - 1}, {area.max.x, area.max.y - 1},
                                        palette.line);
}

void draw_run_row(Session& session, const HistoryEntry& entry, float height) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const Rect row{min, {min.x + ImGui::GetContentRegionAvail().x, min.y + height}};
    const std::string id = fmt::format("runs.row.{}", entry.number);
    if (hit_area(id, row.size())) session.runs().select(entry.number);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const HistoryEntry* selected = session.runs().selected();
    if (ImGui::IsItemHovered() || (selected && selected->number == entry.number))
        list->AddRectFilled({row.min.x - t.px(8), row.min.y}, {row.max.x + t.px(8), row.max.y},
                            palette.raised, t.px(4));
    list->AddLine({row.min.x, row.max.y - 1}, {row.max.x, row.max.y - 1}, with_alpha(palette.line, 0.6F));
    if (!ImGui::IsItemVisible()) return;

    const HistoryEntry* pinned = session.runs().pinned();
    const bool is_pinned = pinned && pinned->number == entry.number;
    const std::vector<ShownColumn> columns = fit_columns(row.size().x, session);
    RunRow run = get_run_row(entry, pinned);
    const bool results_hidden =
        session.hides(entry.report.experiment) || (pinned && session.hides(pinned->report.experiment));
    if (results_hidden)
        for (const RunColumn& column : all_columns)
            if (is_result(column.cell)) run.cells[static_cast<std::size_t>(column.cell)].clear();
    const auto& [cells, difference] = run;
    const bool tooltip_shown =
        show_parameters(id + ".parameters", row, columns, cells[static_cast<std::size_t>(Cell::parameters)]);
    if (pinned && !results_hidden) {
        register_place(id + ".against", row,
                       is_pinned ? difference.verdict : difference.verdict + " " + difference.percent);
        if (!is_pinned && !tooltip_shown)
            tooltip(
                tr("Kernel against run {}: {}{}", pinned->number, difference.verdict,
                   difference.percent.empty() ? "" : ", " + difference.percent + tr(", each a single run")));
    }
    draw_cells(row, columns, cells,
               {palette.text, t.text_color(report_color(entry.report)),
                difference.color_role == ColorRole::quiet ? palette.quiet : palette.text});
    register_widget(id, "row", row.min, row.max, cells.back());
    const auto name =
        std::ranges::find(columns, Cell::variant, [](const ShownColumn& one) { return one.column->cell; });
    if (is_pinned && name != columns.end()) {
        const std::string& variant = cells[static_cast<std::size_t>(Cell::variant)];
        const float x = row.min.x + name->left + text_size(TextStyle::mono, variant).x + t.px(16);
        draw_text(list, TextStyle::mono,
                  {x, std::floor((row.min.y + row.max.y - t.line_height(TextStyle::mono)) / 2)},
                  t.text_color(ColorRole::kernel),
                  elide(TextStyle::mono, tr("pinned"), row.min.x + name->right - x));
    }
}

}  // namespace gridstride::ui
