// A timeline: one row per variant, all rows on one time axis.
#include <algorithm>
#include <cmath>

#include "present/run_times.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float span_pitch = 36, span_height = 24;

const Axis& time_axis() {
    static const Axis axis{tr("time"), "ns", AxisScale::linear, {}, false};
    return axis;
}

using Bar = Timeline::Bar;

bool is_drawable(const Bar& bar) {
    return std::fabs(bar.start_ns) <= max_axis_value && bar.duration_ns >= 0 &&
           bar.duration_ns <= max_axis_value;
}

double row_end(const Timeline::Row& row) {
    double end = std::fabs(row.end_ns) <= max_axis_value ? row.end_ns : 0;
    for (const Bar& bar : row.bars)
        if (is_drawable(bar)) end = std::max(end, bar.start_ns + bar.duration_ns);
    return end;
}

/// Returns false if the timeline has no length.
bool find_time_range(const Timeline& timeline, Range* range) {
    *range = {0, 0};
    for (const Timeline::Row& row : timeline.rows) {
        range->high = std::max(range->high, row_end(row));
        for (const Bar& bar : row.bars)
            if (is_drawable(bar)) range->low = std::min(range->low, bar.start_ns);
    }
    const bool any = range->low < range->high;
    *range = widen(*range, true);
    return any;
}

std::string_view color_meaning(ColorRole color_role) {
    if (color_role <= ColorRole::cpu) return part_name(color_role);
    return color_role == ColorRole::right     ? tr("right")
           : color_role == ColorRole::wrong   ? tr("wrong")
           : color_role == ColorRole::caution ? tr("caution")
                                              : tr("other");
}

/// The colours in order of appearance. Bars of the series palette are distinguished by label, others by
/// what their colour means.
class TimelineColors {
 public:
    explicit TimelineColors(const Timeline& timeline) {
        bool gaps = false;
        for (const Timeline::Row& row : timeline.rows) {
            double busy = 0;
            for (const Bar& bar : row.bars | std::views::filter(is_drawable)) {
                busy += bar.duration_ns;
                Entry& entry = find_or_add_entry(bar.color_role, bar.label);
                entry.has_single_label = entry.has_single_label && entry.label == bar.label;
            }
            gaps = gaps || busy < (row_end(row) - row.start_ns) * (1 - 1e-9);
        }
        if (gaps) find_or_add_entry(ColorRole::wait, {});
        barriers_ = std::ranges::any_of(timeline.rows,
                                        [](const Timeline::Row& row) { return !row.barriers_ns.empty(); });
    }
    ImU32 of(const Bar& bar) { return find_or_add_entry(bar.color_role, bar.label).color; }
    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> legend;
        for (const Entry& entry : entries_)
            legend.push_back({entry.has_single_label && !entry.label.empty()
                                  ? entry.label
                                  : color_meaning(entry.color_role),
                              entry.color, Swatch::square, false});
        if (barriers_) legend.push_back({tr("barrier"), theme().palette().text, Swatch::upright, false});
        return legend;
    }

 private:
    struct Entry {
        ColorRole color_role;
        std::string_view label;
        ImU32 color;
        bool has_single_label = true;  ///< all bars of this colour have the same label
    };
    Entry& find_or_add_entry(ColorRole color_role, std::string_view label) {
        const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
            return entry.color_role == color_role &&
                   (color_role != ColorRole::series || entry.label == label);
        });
        if (found != entries_.end()) return *found;
        const ImU32 color = color_role == ColorRole::series ? theme().series_color(free_colors_++)
                                                            : theme().color(color_role);
        return entries_.emplace_back(Entry{color_role, label, color});
    }
    std::vector<Entry> entries_;
    std::size_t free_colors_ = 0;
    bool barriers_ = false;
};

struct TimelineLayout {
    PlotArea area;
    float pitch = 0, height = 0;  ///< of a row
    bool words = true;
    float below = 0;  ///< top of the legend and of the axis's title
    float first_legend_row = 0;
    bool legend = true;
};

TimelineLayout lay_out(const Timeline& timeline, const std::vector<LegendEntry>& legend, float title_width,
                       glm::vec2 origin, glm::vec2* size) {
    const Theme& t = theme();
    TimelineLayout layout;
    float labels = 0;
    for (const Timeline::Row& row : timeline.rows)
        labels = std::max(labels, std::ceil(text_size(TextStyle::note, row.label).x));
    labels = std::min(labels, std::floor(size->x * 0.35f));
    const auto rows = static_cast<float>(std::max<std::size_t>(1, timeline.rows.size()));
    const float ticks = t.font_size(TextStyle::mono) + t.px(10), row_gap = t.px(span_pitch - span_height);
    layout.first_legend_row = std::max(t.px(24), size->x - title_width - t.px(16));
    float words = std::max(t.px(24), legend_height(legend, size->x, layout.first_legend_row));
    const auto height_with = [&](float pitch) {
        return rows * t.px(pitch) - row_gap + t.px(6) + ticks + words;
    };
    size->y =
        size->y > 0 ? std::min(size->y, height_with(span_pitch * max_stretch)) : height_with(span_pitch);
    const auto pitch_with = [&](float beside) { return (size->y - t.px(6) - beside + row_gap) / rows; };
    // If space is short, the legend is dropped first; the readout also explains the colours.
    if (pitch_with(ticks + words) < t.px(10)) {
        layout.legend = false;
        words = t.px(20);
    }
    layout.pitch = std::max(pitch_with(ticks + words), t.px(3));
    layout.height = std::max(t.px(2), std::floor(layout.pitch * span_height / span_pitch));
    layout.words = labels > 0 && layout.pitch >= t.font_size(TextStyle::note);
    layout.area.min =
        glm::vec2(origin.x + (layout.words ? std::round(labels + t.px(12)) : 0), std::round(origin.y));
    layout.area.max =
        glm::vec2(origin.x + size->x - t.px(4),
                  layout.area.min.y + std::round((rows - 1) * layout.pitch + layout.height + t.px(6)));
    const float lowest = origin.y + size->y - ticks - words;  // rows beyond it are cut off
    layout.area.max.y = std::max(layout.area.min.y + t.px(8), std::min(layout.area.max.y, lowest));
    layout.below = layout.area.max.y + ticks;
    return layout;
}

Rect get_row_rect(const TimelineLayout& layout, std::size_t row) {
    const PlotArea& area = layout.area;
    const float top = std::round(area.min.y + static_cast<float>(row) * layout.pitch);
    return {{area.min.x, top}, {area.max.x, top + std::round(layout.height)}};
}

/// Every bar is visible, however short it was.
Rect get_bar_rect(const TimelineLayout& layout, std::size_t row, double start, double duration) {
    Rect at = get_row_rect(layout, row);
    at.min.x = std::round(layout.area.along_x(start));
    at.max.x = std::max(std::round(layout.area.along_x(start + duration)), at.min.x + column_width());
    return at;
}

/// Draws the bar's name and time, or its name only, if it fits.
void label_bar(ImDrawList* list, const Bar& bar, const PlotArea& area, const Rect& at, ImU32 color) {
    const Theme& t = theme();
    const float height = t.font_size(TextStyle::note);
    // At a high zoom, the label goes into the visible part.
    const float from = std::max(at.min.x, area.min.x), to = std::min(at.max.x, area.max.x);
    const float room = to - from - t.px(12);
    if (room < height || at.height() < height) return;
    const std::string time = value_text(time_axis(), bar.duration_ns);
    for (const std::string& text : {bar.label.empty() ? time : bar.label + " " + time, bar.label}) {
        if (text.empty() || text_size(TextStyle::note, text).x > room) continue;
        draw_plot_text(list, TextStyle::note,
                       glm::vec2(from + t.px(6), std::round((at.min.y + at.max.y - height) / 2)),
                       t.text_on(color), text);
        return;
    }
}

struct TimelineHit {
    std::size_t row = 0;
    const Bar* bar = nullptr;  ///< null: a gap, or a barrier
    double start = 0, duration = 0;
    bool barrier = false;
};

constexpr float barrier_reach = 4;  // beyond the adjacent bars
Rect get_barrier_rect(const TimelineLayout& layout, std::size_t row, double at_ns) {
    const Rect bar = get_bar_rect(layout, row, at_ns, 0);
    const float thickness = std::max(1.0F, std::round(theme().px(1.5F)));
    return Rect{bar.min, {bar.min.x + thickness, bar.max.y}}.expanded(
        {0, std::round(theme().px(barrier_reach))});
}

std::optional<TimelineHit> find(const Timeline& timeline, const TimelineLayout& layout, glm::vec2 mouse) {
    const PlotArea& area = layout.area;
    const auto row = static_cast<std::size_t>(std::max(0.0f, (mouse.y - area.min.y) / layout.pitch));
    if (row >= timeline.rows.size() || mouse.y > get_row_rect(layout, row).max.y) return std::nullopt;
    const std::vector<Bar>& bars = timeline.rows[row].bars;
    for (const double at_ns : timeline.rows[row].barriers_ns)
        if (get_barrier_rect(layout, row, at_ns).expanded({theme().px(1), 0}).contains(mouse))
            return TimelineHit{row, nullptr, at_ns, 0, /*barrier=*/true};
    const Bar* nearest = nullptr;
    float nearest_distance = theme().px(3);
    for (auto bar = bars.rbegin(); bar != bars.rend(); ++bar) {
        if (!is_drawable(*bar)) continue;
        const Rect at = get_bar_rect(layout, row, bar->start_ns, bar->duration_ns);
        const float distance = mouse.x < at.min.x   ? at.min.x - mouse.x
                               : mouse.x > at.max.x ? mouse.x - at.max.x
                                                    : -1;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = &*bar;
        }
    }
    if (nearest != nullptr) return TimelineHit{row, nearest, nearest->start_ns, nearest->duration_ns};
    const double at = area.x_under(mouse);
    double from = timeline.rows[row].start_ns, to = row_end(timeline.rows[row]);
    if (at < from || at > to) return std::nullopt;
    for (const Bar& bar : bars | std::views::filter(is_drawable)) {
        const double end = bar.start_ns + bar.duration_ns;
        if (end <= at) from = std::max(from, end);
        if (bar.start_ns > at) to = std::min(to, bar.start_ns);
    }
    return TimelineHit{row, nullptr, from, to - from};
}

void draw_rows(ImDrawList* list, const Timeline& timeline, const TimelineLayout& layout,
               TimelineColors& colors, const PlotView& view, const std::optional<TimelineHit>& found) {
    const Theme& t = theme();
    const PlotArea& area = layout.area;
    for (std::size_t r = 0; r < timeline.rows.size(); ++r) {
        const Rect row = get_row_rect(layout, r);
        if (row.min.y >= area.max.y) break;
        // Waiting is drawn as a thin strip, so that it cannot be mistaken for work.
        if (const double end = row_end(timeline.rows[r]); end > 0) {
            const double start = timeline.rows[r].start_ns;
            const Rect at = get_bar_rect(layout, r, start, end - start);
            const float middle = std::round(row.centre().y);
            const float half = std::max(1.0f, std::round(layout.height / 8));
            list->AddRectFilled({at.min.x, middle - half}, {at.max.x, middle + half},
                                t.color(ColorRole::wait));
        }
        glm::vec2 last(0, 0);
        ImU32 last_color = 0;
        for (const Bar& bar : timeline.rows[r].bars | std::views::filter(is_drawable)) {
            Rect at = get_bar_rect(layout, r, bar.start_ns, bar.duration_ns);
            if (at.max.x < area.min.x || at.min.x > area.max.x) continue;
            ImU32 color = colors.of(bar);
            const bool highlighted = is_highlighted(view, bar.highlight_ids);
            if (highlighted || (found && found->bar == &bar)) color = mix(color, t.palette().text, 0.2f);
            // Merge bars that cover the same pixels.
            const glm::vec2 ends(at.min.x, at.max.x);
            if (ends == last && color == last_color) continue;
            last = ends;
            last_color = color;
            // Adjacent bars have a gap of one pixel, if they are wide enough.
            if (at.width() >= t.px(4)) at.max.x -= column_width();
            const float radius = at.width() >= t.px(8) && layout.height >= t.px(8) ? t.px(2) : 0;
            list->AddRectFilled(at.min, at.max, color, radius);
            if (bar.is_striped) draw_hatch(list, at, t.palette().panel);
            if (highlighted) draw_frame(list, at, t.palette().text, t.px(2));
            if (layout.legend) label_bar(list, bar, area, at, color);
        }
        for (const double at_ns : timeline.rows[r].barriers_ns) {
            const Rect at = get_barrier_rect(layout, r, at_ns);
            list->AddRectFilled(at.min, at.max, t.palette().text);
        }
    }
}

void draw_axis(ImDrawList* list, const TimelineLayout& layout, const std::vector<Tick>& ticks, float right) {
    const Theme& t = theme();
    const PlotArea& area = layout.area;
    float free_from = -1e9f;
    for (const Tick& tick : ticks) {
        const float width = text_size(TextStyle::mono, tick.label).x;
        const float at = std::round(area.along_x(tick.position));
        const float x =
            std::clamp(at - width / 2, area.min.x - width / 2, std::max(area.min.x, right - width));
        if (x < free_from) continue;
        free_from = x + width + t.px(8);
        draw_plot_text(list, TextStyle::mono, glm::vec2(std::round(x), area.max.y + t.px(6)),
                       t.palette().quiet, tick.label);
    }
}

void draw_hover_readout(const Timeline& timeline, TimelineColors& colors, const TimelineHit& found,
                        glm::vec2 mouse, const ReadoutLine& hint) {
    std::vector<ReadoutLine> lines;
    if (!timeline.rows[found.row].label.empty()) lines.push_back({0, timeline.rows[found.row].label, {}});
    if (found.barrier) {
        lines.push_back({0, tr("barrier: later work waits for earlier work"), {}});
        lines.push_back({0, tr("at"), value_text(time_axis(), found.start)});
        lines.push_back(hint);
        return draw_readout(lines, mouse);
    }
    const ImU32 color = found.bar != nullptr ? colors.of(*found.bar) : theme().color(ColorRole::wait);
    std::string label = found.bar != nullptr ? found.bar->label : tr("waiting");
    if (label.empty()) label = color_meaning(found.bar->color_role);
    lines.push_back({color, label, value_text(time_axis(), found.duration)});
    lines.push_back({0, tr("starts at"), value_text(time_axis(), found.start)});
    lines.push_back(hint);
    draw_readout(lines, mouse);
}

}  // namespace

float natural_height(const Timeline& timeline, float width) {
    Range fit;
    const bool any = find_time_range(timeline, &fit);
    const float title =
        any ? text_size(TextStyle::note, axis_title(time_axis(), axis_unit(time_axis(), fit))).x : 0;
    glm::vec2 size(width, 0);
    lay_out(timeline, TimelineColors(timeline).legend(), title, {}, &size);
    return size.y;
}

void draw_timeline(std::string_view id, const Plot& plot, const Timeline& timeline, PlotView& view,
                   glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 origin = ImGui::GetCursorScreenPos();
    TimelineColors colors(timeline);
    const std::vector<LegendEntry> legend = colors.legend();
    Range fit;
    const bool any = find_time_range(timeline, &fit);
    const Range unit_range{0, 1};
    Range x, y;
    update_ranges(view, fit, unit_range, &x, &y);
    std::string title = axis_title(time_axis(), axis_unit(time_axis(), x));
    TimelineLayout layout =
        lay_out(timeline, legend, any ? text_size(TextStyle::note, title).x : 0, origin, &size);
    const glm::vec2 corner = origin + size;
    layout.area.x = x;
    layout.area.y = y;
    const Navigation navigation = navigate(id, plot, view, {layout.area, fit, unit_range, true}, origin,
                                           glm::vec2(corner.x, layout.below));
    if (navigation.has_changed) {
        update_ranges(view, fit, unit_range, &layout.area.x, &layout.area.y);
        title = axis_title(time_axis(), axis_unit(time_axis(), layout.area.x));
    }
    const PlotArea& area = layout.area;

    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    std::optional<TimelineHit> found;
    if (navigation.is_hovered && !state.is_box_zooming) found = find(timeline, layout, mouse);
    if (found && found->bar != nullptr) view.hovered = found->bar->highlight_ids;
    state.x_ticks.clear();
    if (any)
        state.x_ticks =
            axis_ticks(time_axis(), area.x, std::clamp(static_cast<int>(area.width() / t.px(72)), 3, 12));
    {
        RectBatch batch(list);
        for (const Tick& tick : state.x_ticks) {
            const float at = std::round(area.along_x(tick.position));
            batch.add({at, area.min.y}, {at + column_width(), area.max.y}, t.palette().line);
        }
    }
    const glm::vec2 clip_margin(1, t.px(barrier_reach));
    list->PushClipRect(area.min - clip_margin, area.max + clip_margin, true);
    draw_rows(list, timeline, layout, colors, view, found);
    draw_zoom_box(list, view, area, true);
    list->PopClipRect();
    draw_fit_button(list, navigation);

    const float height = t.font_size(TextStyle::note);
    for (std::size_t r = 0; layout.words && r < timeline.rows.size(); ++r) {
        const Rect row = get_row_rect(layout, r);
        if (row.max.y > area.max.y) break;
        draw_plot_text(list, TextStyle::note, glm::vec2(origin.x, std::round(row.centre().y - height / 2)),
                       t.palette().quiet,
                       elide(TextStyle::note, timeline.rows[r].label, area.min.x - origin.x - t.px(8)));
    }
    draw_axis(list, layout, state.x_ticks, corner.x);
    if (any)
        draw_plot_text_right(list, TextStyle::note, glm::vec2(corner.x, layout.below + t.px(4)),
                             t.palette().quiet, title);
    if (layout.legend)
        draw_legend(id, legend, glm::vec2(origin.x, layout.below), size.x, layout.first_legend_row, false);
    if (found) draw_hover_readout(timeline, colors, *found, mouse, wheel_hint(state));
    end_plot(id, origin, size, navigation.is_focused, layout.below);
}

void draw_small_timeline(const Timeline& timeline, const PlotView& view, const Rect& rect) {
    TimelineLayout layout;
    Range fit;
    if (!find_time_range(timeline, &fit)) return;
    layout.area = {rect, /*horizontal=*/false, /*x=*/fit, /*y=*/{}};
    layout.pitch = rect.height() / static_cast<float>(timeline.rows.size());
    layout.height = std::max(1.0F, std::floor(layout.pitch * 0.7F));
    layout.legend = false;  // nor text in the bars
    TimelineColors colors(timeline);
    draw_rows(ImGui::GetWindowDrawList(), timeline, layout, colors, view, std::nullopt);
}

}  // namespace gridstride::ui
