// Lanes over time: a row for each access of the program, a column for each invocation, barriers as lines.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "trace/trace_text.h"
#include "ui/inside/inside_parts.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr float min_lane_width = 3;         ///< pixels; narrower lanes share a column
constexpr float min_gapped_lane_width = 5;  ///< pixels; wider lanes have a gap between them
constexpr std::size_t max_lanes = 1024;
constexpr float label_width = 132, narrow_label_width = 92;  // design pixels

/// Horizontal positions of the lanes, in pixels.
struct LaneColumns {
    float left = 0, width = 0;
    std::uint32_t lanes = 1;
    std::uint32_t subgroup = 1;  ///< lanes per subgroup
    float gap = 0;
    float each = 1;

    LaneColumns(float from, float to, std::uint32_t invocations, std::uint32_t subgroup_size)
        : left(from),
          width(std::max(1.0F, to - from)),
          lanes(std::max(1U, invocations)),
          subgroup(subgroup_size > 0 ? subgroup_size : lanes) {
        const std::uint32_t gap_count = (lanes - 1) / subgroup;
        const auto gaps = static_cast<float>(gap_count);
        // Gaps use at most a tenth of the width: 128 subgroups of 8 lanes get none, and neither do lanes that
        // share columns.
        const bool has_room = width * 0.9F >= min_lane_width * static_cast<float>(lanes);
        gap = gaps > 0 && has_room ? std::floor(std::min(theme().px(4), width * 0.1F / gaps)) : 0;
        each = (width - gap * gaps) / static_cast<float>(lanes);
    }
    bool shared() const { return each < min_lane_width; }
    float lane_left(std::uint32_t lane) const {
        const std::uint32_t gaps_before = lane / subgroup;
        return left + static_cast<float>(lane) * each + gap * static_cast<float>(gaps_before);
    }
    Rect rect_of(std::uint32_t lane, float top, float bottom) const {
        const float begin = std::round(lane_left(lane));
        const float end = std::round(lane_left(lane) + each);
        return {{begin, top}, {std::max(begin + 1, end), bottom}};
    }
    /// Returns nullopt if x is outside of the lanes.
    std::optional<std::uint32_t> lane_at(float x) const {
        if (x < left || x >= left + width) return std::nullopt;
        const float group = each * static_cast<float>(subgroup) + gap;
        const auto number = static_cast<std::uint32_t>((x - left) / group);
        const float group_offset = x - left - static_cast<float>(number) * group;
        const auto lane = static_cast<std::uint32_t>(group_offset / each);
        return std::min(number * subgroup + std::min(lane, subgroup - 1), lanes - 1);
    }
};

/// The look of a lane or a column of lanes: an AccessMark, plus highlight_bit if the focus highlights it. If
/// lanes share a column, the larger value is drawn.
using LaneLook = std::uint8_t;
constexpr LaneLook highlight_bit = 16;

/// Draws the lanes of a row; neighbours with the same look become one rectangle.
class RowPainter {
 public:
    RowPainter(const InsideView& view, const LaneColumns& columns) : view_(view), columns_(columns) {}

    void draw(const trace::TimelineRow& row, float top, float bottom) {
        looks_.fill(0);
        const ShownWorkgroup& shown = *view_.shown;
        const bool any_focus = view_.focus.any();
        for (const std::uint32_t record : shown.lanes.at(row)) {
            const auto mark = static_cast<LaneLook>(access_mark(shown, record));
            const LaneLook look = !any_focus || view_.is_highlighted(record) ? mark | highlight_bit : mark;
            const auto lane =
                std::min<std::size_t>(shown.analysis->records[record].invocation, max_lanes - 1);
            LaneLook& place = looks_[column_of(static_cast<std::uint32_t>(lane))];
            place = std::max(place, look);
        }
        if (columns_.shared())
            draw_columns(top, bottom);
        else
            draw_lanes(top, bottom);
    }

 private:
    std::uint32_t column_of(std::uint32_t lane) const {
        if (!columns_.shared()) return lane;
        return static_cast<std::uint32_t>((columns_.lane_left(lane) - columns_.left) / min_lane_width);
    }
    static ImU32 look_color(LaneLook look) {
        const Palette& palette = theme().palette();
        const auto mark = static_cast<AccessMark>(look & (highlight_bit - 1));
        const ImU32 color = mark_color(mark);
        return look >= highlight_bit || mark == AccessMark::idle ? color : mix(palette.ground, color, 0.3F);
    }
    void draw_lanes(float top, float bottom) const {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const bool has_gaps = columns_.each >= min_gapped_lane_width;
        for (std::uint32_t lane = 0; lane < std::min<std::size_t>(columns_.lanes, max_lanes);) {
            std::uint32_t end = lane + 1;
            const auto continues_run = [&](std::uint32_t next) {
                return next < columns_.lanes && next < max_lanes && looks_[next] == looks_[lane] &&
                       next % columns_.subgroup != 0;
            };
            while (!has_gaps && continues_run(end))
                ++end;
            Rect rect = columns_.rect_of(lane, top, bottom);
            rect.max.x = columns_.rect_of(end - 1, top, bottom).max.x - (has_gaps ? 1.0F : 0.0F);
            list->AddRectFilled(rect.min, rect.max, look_color(looks_[lane]));
            lane = end;
        }
    }
    void draw_columns(float top, float bottom) const {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const auto count = std::min(max_lanes, static_cast<std::size_t>(columns_.width / min_lane_width) + 1);
        for (std::size_t place = 0; place < count;) {
            std::size_t end = place + 1;
            while (end < count && looks_[end] == looks_[place])
                ++end;
            const float from = columns_.left + static_cast<float>(place) * min_lane_width;
            const float to = std::min(columns_.left + columns_.width,
                                      columns_.left + static_cast<float>(end) * min_lane_width);
            if (to > from) list->AddRectFilled({from, top}, {to, bottom}, look_color(looks_[place]));
            place = end;
        }
    }

    const InsideView& view_;
    const LaneColumns& columns_;
    std::array<LaneLook, max_lanes> looks_{};
};

/// Draws a line across the lanes that reached the barrier; in the error colour if some lanes of the workgroup
/// did not.
void draw_barrier_row(const ShownWorkgroup& shown, const trace::TimelineRow& row, const LaneColumns& columns,
                      float middle) {
    const Theme& t = theme();
    const bool is_subgroup_barrier = shown.trace().sites[row.site].is_subgroup_barrier;
    const bool all = row.count >= shown.lanes.invocations();
    const ImU32 color = all || is_subgroup_barrier ? t.palette().quiet : t.palette().wrong;
    const float half = std::max(0.5F, t.px(is_subgroup_barrier ? 0.5F : 1));
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (all) {
        list->AddRectFilled({columns.left, middle - half}, {columns.left + columns.width, middle + half},
                            color);
        return;
    }
    const auto lane_of = [&](std::uint32_t record) {
        return std::uint32_t{shown.analysis->records[record].invocation};
    };
    const auto barrier_lanes = shown.lanes.at(row);
    for (std::size_t i = 0; i < barrier_lanes.size();) {
        std::size_t end = i + 1;
        while (end < barrier_lanes.size() &&
               lane_of(barrier_lanes[end]) == lane_of(barrier_lanes[end - 1]) + 1)
            ++end;
        const Rect first = columns.rect_of(lane_of(barrier_lanes[i]), middle - half, middle + half);
        const Rect last = columns.rect_of(lane_of(barrier_lanes[end - 1]), middle - half, middle + half);
        list->AddRectFilled(first.min, last.max, color);
        i = end;
    }
}

std::string lane_tooltip(const ShownWorkgroup& shown, std::size_t row, std::uint32_t lane) {
    const std::uint32_t record = shown.lanes.record_at(row, lane);
    const std::string invocation = trace::invocation_text(shown.trace(), lane);
    if (record == trace::no_record) return tr("Step {}: {} does nothing here.", row + 1, invocation);
    const trace::Record& what = shown.analysis->records[record];
    std::string together;
    if (shown.trace().ballots)
        together = tr(" with {}", counted(shown.lanes_per_request[what.request], "lane", "lanes"));
    return tr("Step {}, {}: {} {}.\nSubgroup {}{}, epoch {}.", row + 1,
              trace::line_text(shown.trace(), shown.site_of(record)), invocation,
              describe_access(shown, record), what.subgroup, together, what.epoch);
}

class LanesPicture {
 public:
    LanesPicture(InsideView& view, glm::vec2 start, float width)
        : view_(view),
          shown_(*view.shown),
          start_(start),
          label_(std::round(theme().px(width > theme().px(520) ? label_width : narrow_label_width))),
          columns_(start.x + label_, start.x + width - theme().px(4), shown_.lanes.invocations(),
                   shown_.trace().subgroup_size),
          width_(width) {}

    float height() const { return theme().px(shown_.row_tops.back()); }

    void draw(const Rect& clip) {
        const auto first = row_at(clip.min.y).value_or(0);
        for (std::size_t row = first; row < shown_.lanes.rows().size() && top_of(row) < clip.max.y; ++row)
            draw_row(row);
    }
    std::optional<std::size_t> row_at(float y) const {
        const float design = (y - start_.y) / theme().scale();
        if (design < 0 || design >= shown_.row_tops.back()) return std::nullopt;
        const auto above = std::ranges::upper_bound(shown_.row_tops, design);
        return static_cast<std::size_t>(above - shown_.row_tops.begin()) - 1;
    }
    float top_of(std::size_t row) const { return start_.y + theme().px(shown_.row_tops[row]); }
    Rect rect_of(std::size_t row) const {
        return {{start_.x, top_of(row)}, {start_.x + width_, top_of(row + 1)}};
    }
    const LaneColumns& columns() const { return columns_; }
    Rect cell_of(std::size_t row, std::uint32_t lane) const {
        return columns_.rect_of(lane, top_of(row), top_of(row + 1) - 1);
    }

 private:
    void draw_row(std::size_t number) {
        const Theme& t = theme();
        const trace::TimelineRow& row = shown_.lanes.rows()[number];
        const Rect whole = rect_of(number);
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (shown_.trace().sites[row.site].kind == trace::SiteKind::barrier) {
            draw_barrier_row(shown_, row, columns_, std::round(whole.centre().y));
        } else {
            painter_.draw(row, std::round(whole.min.y + t.px(1)), std::round(whole.max.y - t.px(2)));
            const bool races = shown_.row_races[number];
            const float y = std::round(whole.centre().y - t.line_height(TextStyle::note) / 2 - t.px(0.5F));
            const std::string words = (races ? "✗ " : "") + describe_row(shown_, row);
            const ImU32 color_role = number == view_.step ? t.palette().text : t.palette().quiet;
            draw_text(list, TextStyle::note, {whole.min.x + t.px(4), y},
                      races ? t.text_color(ColorRole::wrong) : color_role,
                      elide(TextStyle::note, words, label_ - t.px(10)));
        }
        if (number != view_.step) return;
        list->AddRect({whole.min.x, std::floor(whole.min.y - t.px(1))}, {whole.max.x, std::ceil(whole.max.y)},
                      t.palette().text, t.px(3), 0, std::max(1.0F, t.px(1.2F)));
        const std::uint32_t record = view_.record();
        if (record == trace::no_record || columns_.shared()) return;
        const Rect lane = cell_of(number, shown_.analysis->records[record].invocation);
        list->AddRect(lane.min - glm::vec2(1), lane.max + glm::vec2(0, 1), t.palette().text, 0, 0, 2);
    }

    InsideView& view_;
    const ShownWorkgroup& shown_;
    glm::vec2 start_;
    float label_;
    LaneColumns columns_;
    float width_;
    RowPainter painter_{view_, columns_};
};

void draw_lanes_title(const ShownWorkgroup& shown, const LaneColumns& columns, const Rect& area) {
    const Theme& t = theme();
    const float title = t.line_height(TextStyle::panel_title);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, TextStyle::panel_title, area.min, t.palette().text, tr("Lanes over time"));
    const float title_width = text_size(TextStyle::panel_title, tr("Lanes over time")).x + t.px(12);
    const std::uint32_t subgroup = shown.trace().subgroup_size;
    const std::string invocations = counted(shown.lanes.invocations(), "invocation", "invocations");
    std::string more;
    if (columns.shared())
        more = tr("; neighbours share one");
    else if (columns.gap > 0)
        more = tr(", gaps separate subgroups of {}", subgroup);
    const std::string words =
        longest_fitting_text(TextStyle::note,
                             {tr("a row is an access, a column one of {}{}", invocations, more),
                              tr("a column is one of {}{}", invocations, more),
                              tr("a column is one of {}{}", invocations, ""), invocations},
                             area.width() - title_width);
    draw_text(
        list, TextStyle::note,
        {area.min.x + title_width, area.min.y + std::round((title - t.line_height(TextStyle::note)) / 2)},
        t.palette().quiet, words);
}

void select_by_mouse(InsideView& view, const LanesPicture& picture) {
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    const auto row = picture.row_at(mouse.y);
    if (!row) return;
    view.is_playing = false;
    view.focus = {};
    if (const auto lane = picture.columns().lane_at(mouse.x)) view.lane = *lane;
    view.go_to_step(*row);
    view.reveal_step = false;
}

}  // namespace

float inside_lanes_height(const InsideView& view) {
    const Theme& t = theme();
    return t.line_height(TextStyle::panel_title) + t.px(8 + view.shown->row_tops.back());
}

void draw_inside_lanes(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    const ShownWorkgroup& shown = *view.shown;
    const float title = t.line_height(TextStyle::panel_title);
    const float top = area.min.y + title + t.px(4);
    begin_panel("inside.lanes.panel", {area.min.x, top}, {area.width(), area.max.y - top}, 0, true, 0);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    LanesPicture picture(view, start, ImGui::GetContentRegionAvail().x);
    const auto& rows = shown.lanes.rows();
    const Rect all{start,
                   {start.x + ImGui::GetContentRegionAvail().x, start.y + std::max(1.0F, picture.height())}};
    set_cursor(start);
    advance_cursor(all.size());
    const Rect clip = window_clip_rect();
    const Rect visible_area = all.clipped_to(clip);
    const Item item = interact("inside.lanes", {"lanes", counted(rows.size(), "row", "rows")},
                               {visible_area.min, glm::max(visible_area.min, visible_area.max)},
                               {.takes_arrows = true, .ring_after_click = true});
    if (item.is_focused) step_by_inside_keys(view);
    if (item.is_held && ImGui::IsMouseClicked(0)) select_by_mouse(view, picture);
    if (std::exchange(view.reveal_step, false) && view.step < rows.size()) {
        const Rect step = picture.rect_of(view.step);
        const float around = t.px(24);
        if (!clip.contains(step.expanded(glm::vec2(-1, 0)))) scroll_into_view(step.expanded({0, around}));
    }
    picture.draw(clip);
    if (item.is_focused) draw_focus_ring(visible_area.expanded(glm::vec2(-t.px(3))), t.px(3));
    const LaneColumns columns = picture.columns();
    if (item.is_hovered) {
        const glm::vec2 mouse = ImGui::GetIO().MousePos;
        const auto row = picture.row_at(mouse.y);
        const auto lane = picture.columns().lane_at(mouse.x);
        if (row && lane) {
            Item cell = item;
            cell.is_held = false;
            cell.rect = picture.cell_of(*row, *lane);
            show_delayed_tooltip(cell, make_widget_id("inside.lanes"), lane_tooltip(shown, *row, *lane));
        }
    }
    end_panel();
    draw_lanes_title(shown, columns, area);
}

}  // namespace gridstride::ui
