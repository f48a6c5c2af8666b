// The source of the traced kernel with the number of accesses of each line, and the box of the current step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "trace/trace_text.h"
#include "ui/inside/inside_parts.h"
#include "ui/text/code_line.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// Positions of the columns, in pixels. Line numbers and counts do not scroll sideways; the text does.
struct SourceMetrics {
    float line, number_right, count_right, text_left;
};

SourceMetrics compute_metrics(const InsideSource& source, float left) {
    const Theme& t = theme();
    std::uint64_t max_count = 0;
    for (const InsideSource::Line& line : source.lines)
        max_count = std::max(max_count, line.accesses);
    const float digits = text_size(TextStyle::mono, std::to_string(source.lines.size())).x;
    const float number = left + t.px(8) + digits;
    const float count = number + t.px(12) + text_size(TextStyle::mono, format_count(max_count)).x;
    return {.line = t.line_height(TextStyle::mono) + t.px(1),
            .number_right = number,
            .count_right = count,
            .text_left = count + t.px(12)};
}

std::string line_tooltip(const InsideView& view, const InsideSource::Line& line) {
    const ShownWorkgroup& shown = *view.shown;
    const std::uint64_t groups = shown.last_workgroup() - shown.first_workgroup() + 1;
    std::string words;
    if (line.accesses > 0)
        words = tr("{} to memory, traced in {}.", counted(line.accesses, "access", "accesses"),
                   counted(groups, "workgroup", "workgroups"));
    for (const std::uint32_t site : line.sites)
        if (shown.trace().sites[site].kind == trace::SiteKind::barrier)
            words += tr("{}Workgroup {} waits here {}.", words.empty() ? "" : " ", shown.lanes.workgroup(),
                        counted(shown.rows_of_site[site], "time", "times"));
    return words;
}

struct LineState {
    bool step = false, is_highlighted = false;
};

LineState line_state(const InsideView& view, const InsideSource::Line& line) {
    LineState state;
    if (line.sites.empty()) return state;
    const ShownWorkgroup& shown = *view.shown;
    const auto& rows = shown.lanes.rows();
    const auto has = [&](std::uint32_t site) { return std::ranges::count(line.sites, site) > 0; };
    state.step = view.step < rows.size() && has(rows[view.step].site);
    if (view.focus.variable) {
        for (const trace::CellAccess& touch : shown.lanes.accesses_to(*view.focus.variable, view.focus.cell))
            state.is_highlighted = state.is_highlighted || has(shown.analysis->records[touch.record].site);
    } else {
        state.is_highlighted =
            std::ranges::any_of(line.sites, [&](auto site) { return view.is_site_highlighted(site); });
    }
    return state;
}

void scroll_source_by_keys() {
    const float columns = 8 * code_column_width();
    if (is_plain_key_pressed(Key::right, true)) ImGui::SetScrollX(ImGui::GetScrollX() + columns);
    if (is_plain_key_pressed(Key::left, true))
        ImGui::SetScrollX(std::max(0.0F, ImGui::GetScrollX() - columns));
}

void draw_source_line(InsideView& view, const InsideSource& source, std::size_t number, const Rect& row,
                      const SourceMetrics& metrics) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const InsideSource::Line& line = source.lines[number];
    const LineState state = line_state(view, line);
    const ImU32 bar = line.has_race ? t.palette().wrong : t.palette().upload;
    if (state.step || state.is_highlighted)
        list->AddRectFilled(row.min, row.max, mix(t.palette().panel, bar, state.step ? 0.24F : 0.12F));
    if (!line.sites.empty())
        list->AddRectFilled(row.min, {row.min.x + t.px(3), row.max.y},
                            with_alpha(bar, state.step ? 1 : 0.5F));
    const std::string digits = std::to_string(number + 1);
    draw_text_right(list, TextStyle::mono, {metrics.number_right, row.min.y}, t.palette().quiet, digits);
    const auto barriers = [&] {
        std::uint64_t rows = 0;
        for (const std::uint32_t site : line.sites)
            rows += view.shown->rows_of_site[site];
        return rows;
    };
    if (!line.sites.empty())
        draw_text_right(list, TextStyle::mono, {metrics.count_right, row.min.y},
                        t.text_color(ColorRole::quiet),
                        format_count(line.accesses > 0 ? line.accesses : barriers()));
    list->PushClipRect({metrics.text_left, row.min.y}, row.max, true);
    draw_code_line(source.text, source.pieces, number, {metrics.text_left - ImGui::GetScrollX(), row.min.y});
    list->PopClipRect();
    if (line.sites.empty()) return;

    const std::string id = fmt::format("inside.line.{}", number + 1);
    const std::string value =
        fmt::format("{}{}{}", format_count(line.accesses), state.step ? tr(", this step") : "",
                    state.is_highlighted ? tr(", lit") : "");
    const Item item = interact(id, {"line", value}, row, {.takes_arrows = true});
    if (item.is_focused) scroll_source_by_keys();
    if (item.is_hovered && !state.step && !state.is_highlighted)
        list->AddRectFilled(row.min, row.max, with_alpha(t.palette().text, 0.06F));
    if (item.is_focused) draw_focus_ring(row.expanded(glm::vec2(-t.px(3))), t.px(2));
    show_delayed_tooltip(item, make_widget_id(id), line_tooltip(view, line));
    if (!item.was_clicked) return;
    view.toggle_highlight({.sites = line.sites});
    if (!view.focus.any()) return;
    const auto& rows = view.shown->lanes.rows();
    const auto first = std::ranges::find_if(
        rows, [&](const trace::TimelineRow& one) { return std::ranges::count(line.sites, one.site) > 0; });
    view.is_playing = false;
    if (first != rows.end()) view.go_to_step(static_cast<std::size_t>(first - rows.begin()));
    view.reveal_line = false;
}

void draw_source_names(InsideView& view) {
    const Theme& t = theme();
    const float width = ImGui::GetContentRegionAvail().x;
    if (view.sources.size() == 1) {
        text(TextStyle::mono, t.palette().quiet, elide(TextStyle::mono, view.sources.front().file, width));
        gap(4);
        return;
    }
    std::vector<Tab> names;
    for (std::size_t i = 0; i < view.sources.size(); ++i)
        names.push_back(
            {std::to_string(i), view.sources[i].file.substr(view.sources[i].file.rfind('/') + 1)});
    tabs("inside.file", names, &view.source);
    gap(4);
}

}  // namespace

void draw_inside_source(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    begin_inside_box("inside.source", area, false, 8);
    draw_source_names(view);
    InsideSource& source = view.sources[view.source];
    const glm::vec2 size(area.width(), area.max.y - ImGui::GetCursorScreenPos().y - t.px(6));
    set_cursor({area.min.x, ImGui::GetCursorScreenPos().y});
    ImGui::BeginChild(make_widget_id("inside.source.text"), glm::max(size, glm::vec2(1)), false,
                      ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
    const Rect visible_area = window_inner_rect();
    const SourceMetrics metrics = compute_metrics(source, visible_area.min.x);
    if (source.text.text().empty()) {
        set_cursor(visible_area.min + glm::vec2(t.px(12), 0));
        text_wrapped(TextStyle::note, t.palette().quiet, tr("The text of {} is not available.", source.file),
                     visible_area.width() - t.px(24));
    }
    const float top = visible_area.min.y - ImGui::GetScrollY();
    const auto row_of = [&](std::size_t line) {
        const float y = top + static_cast<float>(source.shown.row_of(line)) * metrics.line;
        return Rect{{visible_area.min.x, y}, {visible_area.max.x, y + metrics.line}};
    };
    const auto& rows = view.shown->lanes.rows();
    if (std::exchange(view.reveal_line, false) && view.step < rows.size()) {
        const Rect step = row_of(view.shown->trace().sites[rows[view.step].site].line - 1);
        if (!visible_area.contains(step)) scroll_into_view(step.expanded({0, 2 * metrics.line}));
    }
    const Rect clip = window_clip_rect();
    for (std::size_t shown = 0; shown < source.shown.rows(); ++shown) {
        const std::size_t i = source.shown.line_of(shown);
        const Rect row = row_of(i);
        // Lines with accesses are drawn even out of sight: they are Tab stops, which scroll into view.
        if ((row.min.y < clip.max.y && row.max.y > clip.min.y) || !source.lines[i].sites.empty())
            draw_source_line(view, source, i, row, metrics);
    }
    // The scrolled area: the widest line plus two columns.
    const float widest = static_cast<float>(source.text.columns() + 2) * code_column_width();
    ImGui::SetCursorPos({0, 0});
    ImGui::Dummy({metrics.text_left - visible_area.min.x + widest,
                  static_cast<float>(source.shown.rows()) * metrics.line});
    ImGui::EndChild();
    end_panel();
}

namespace {

struct StepLine {
    std::string words;
    bool is_wrong = false;
};

/// Adds the access that this one races with; without a race, the last write to its cell.
void add_related_access(std::vector<StepLine>& lines, const InsideView& view, std::uint32_t record) {
    const ShownWorkgroup& shown = *view.shown;
    const auto& records = shown.analysis->records;
    const auto describe_earlier_access = [&](std::uint32_t other) {
        const char* const verbs[] = {tr("read"), tr("written"), tr("changed"), ""};
        return tr("{} by {}{} at {}", verbs[static_cast<std::size_t>(shown.site_of(other).kind)],
                  trace::invocation_text(shown.trace(), records[other].invocation),
                  records[other].workgroup == records[record].workgroup
                      ? ""
                      : tr(" of workgroup {}", records[other].workgroup),
                  trace::line_text(shown.trace(), shown.site_of(other)));
    };
    if (shown.has_race(record)) {
        const std::uint32_t other = shown.analysis->race_partners[record];
        lines.push_back({describe_earlier_access(other) + ","});
        lines.push_back({records[other].workgroup == records[record].workgroup
                             ? tr("no barrier between them")
                             : tr("no barrier can order two workgroups"),
                         true});
        return;
    }
    const auto variable = shown.lanes.variable_index(records[record].site);
    if (!variable || records[record].out_of_bounds_mask != 0) return;
    const std::size_t row = shown.lanes.row_of(record);
    const trace::CellState before =
        row > 0 ? shown.lanes.cell(*variable, shown.lanes.first_cell(record), row - 1) : trace::CellState{};
    if (before.writer != trace::no_record) lines.push_back({describe_earlier_access(before.writer)});
}

std::vector<StepLine> step_lines(const InsideView& view) {
    const ShownWorkgroup& shown = *view.shown;
    const std::uint32_t record = view.record();
    if (record == trace::no_record)
        return {{tr("This workgroup accessed no memory and reached no barrier.")}};
    const trace::Record& what = shown.analysis->records[record];
    const trace::Site& site = shown.site_of(record);
    std::vector<StepLine> lines;
    if (site.kind == trace::SiteKind::barrier) {
        const std::size_t waiting_lanes = shown.lanes.rows()[view.step].count;
        lines.push_back({tr("{} of {} lanes wait here", waiting_lanes, shown.lanes.invocations()),
                         waiting_lanes < shown.lanes.invocations() && !site.is_subgroup_barrier});
        return lines;
    }
    lines.push_back(
        {trace::invocation_text(shown.trace(), what.invocation) + " " + describe_access(shown, record)});
    if (what.out_of_bounds_mask != 0) lines.push_back({tr("its index is out of bounds"), true});
    add_related_access(lines, view, record);
    if (lines.size() == 1)
        lines.push_back({tr("{} of {} lanes do this in this step", shown.lanes.rows()[view.step].count,
                            shown.lanes.invocations())});
    return lines;
}

/// Lists the accesses to the highlighted cell; of many, those around the step.
std::vector<StepLine> cell_lines(const InsideView& view, std::size_t max_count) {
    const ShownWorkgroup& shown = *view.shown;
    std::vector<StepLine> lines;
    const auto accesses_to = shown.lanes.accesses_to(*view.focus.variable, view.focus.cell);
    const std::size_t listed_count = accesses_to.size() > max_count ? max_count - 1 : accesses_to.size();
    const auto behind = std::ranges::upper_bound(accesses_to, view.step, {}, &trace::CellAccess::row);
    const auto until = static_cast<std::size_t>(behind - accesses_to.begin());
    const std::size_t first =
        std::min(until - std::min(until, (listed_count + 1) / 2), accesses_to.size() - listed_count);
    for (const trace::CellAccess& touch : accesses_to.subspan(first, listed_count)) {
        const char* const verbs[] = {tr("reads"), tr("writes"), tr("changes"), ""};
        const trace::Site& site = shown.site_of(touch.record);
        const trace::Record& record = shown.analysis->records[touch.record];
        lines.push_back(
            {tr("step {}: {} {} {}, {}", touch.row + 1, trace::invocation_text(shown.trace(), record),
                verbs[static_cast<std::size_t>(site.kind)], trace::value_text(site, record),
                trace::line_text(shown.trace(), site)),
             shown.has_race(touch.record)});
    }
    if (listed_count < accesses_to.size())
        lines.push_back({tr("and {} more", accesses_to.size() - listed_count)});
    if (accesses_to.empty()) lines.push_back({tr("No invocation of this workgroup accessed it.")});
    return lines;
}

}  // namespace

void draw_inside_step(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    const ShownWorkgroup& shown = *view.shown;
    begin_inside_box("inside.step.box", area, false, 12);
    std::string heading;
    std::vector<StepLine> lines;
    const float line = t.line_height(TextStyle::mono) + t.px(3);
    const auto max_count = static_cast<std::size_t>(std::max(2.0F, (area.height() - t.px(44)) / line));
    if (view.focus.variable) {
        heading = trace::cell_text(shown.lanes.variables()[*view.focus.variable], view.focus.cell);
        lines = cell_lines(view, max_count);
        // Not section_label(), which changes the case of the name.
        text(TextStyle::note_strong, t.palette().quiet, heading);
    } else {
        heading = tr("This step");
        lines = step_lines(view);
        if (view.step < shown.lanes.rows().size())
            heading += " · " + trace::line_text(shown.trace(),
                                                shown.trace().sites[shown.lanes.rows()[view.step].site]);
        section_label(heading);
    }
    gap(4);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    std::string all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ImU32 color_role = lines[i].is_wrong ? t.text_color(ColorRole::wrong) : t.palette().text;
        draw_text(ImGui::GetWindowDrawList(), TextStyle::mono,
                  {start.x, start.y + static_cast<float>(i) * line}, color_role,
                  elide(TextStyle::mono, (lines[i].is_wrong ? "✗ " : "") + lines[i].words, width));
        all += (all.empty() ? "" : " ") + lines[i].words;
    }
    register_place("inside.step", {start, {start.x + width, area.max.y}}, heading + ": " + all, all);
    end_panel();
}

}  // namespace gridstride::ui
