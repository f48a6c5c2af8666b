// A timeline: what happened when, a row a variant, all rows on one time axis.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float span_pitch = 36;
constexpr float span_height = 24;

const Axis time_axis{"time", "ns", AxisScale::linear, {}, false};

using Bar = Timeline::Bar;

bool drawable(const Bar& bar) {
    return std::fabs(bar.start_ns) <= largest_value && bar.duration_ns >= 0 &&
           bar.duration_ns <= largest_value;
}

double end_of(const Timeline::Row& row) {
    double end = std::fabs(row.end_ns) <= largest_value ? row.end_ns : 0;
    for (const Bar& bar : row.bars)
        if (drawable(bar)) end = std::max(end, bar.start_ns + bar.duration_ns);
    return end;
}

/// False: nothing has any length.
bool time_range(const Timeline& timeline, Range* range) {
    *range = {0, 0};
    for (const Timeline::Row& row : timeline.rows) {
        range->high = std::max(range->high, end_of(row));
        for (const Bar& bar : row.bars)
            if (drawable(bar)) range->low = std::min(range->low, bar.start_ns);
    }
    const bool any = range->low < range->high;
    *range = widened(*range, true);
    return any;
}

std::string_view meaning(Ink ink) {
    switch (ink) {
        case Ink::upload:
            return "upload";
        case Ink::kernel:
            return "kernel";
        case Ink::download:
            return "download";
        case Ink::wait:
            return "waiting";
        case Ink::cpu:
            return "CPU";
        case Ink::right:
            return "right";
        case Ink::wrong:
            return "wrong";
        case Ink::caution:
            return "caution";
        case Ink::quiet:
        case Ink::series:
            break;
    }
    return "other";
}

/// The colours in the order in which they come, and the colour of every bar. Bars of the series' palette are
/// told apart by their labels, all others by their meaning.
class Colors {
 public:
    explicit Colors(const Timeline& timeline) {
        bool gaps = false;
        for (const Timeline::Row& row : timeline.rows) {
            double busy = 0;
            for (const Bar& bar : row.bars) {
                if (!drawable(bar)) continue;
                busy += bar.duration_ns;
                add(bar);
            }
            gaps = gaps || busy < end_of(row) * (1 - 1e-9);
        }
        const auto waits = [](const Entry& entry) { return entry.ink == Ink::wait; };
        if (gaps && std::none_of(entries_.begin(), entries_.end(), waits))
            entries_.push_back({Ink::wait, {}, theme().color(Ink::wait), false});
    }
    ImU32 of(const Bar& bar) const {
        for (const Entry& entry : entries_)
            if (matches(entry, bar)) return entry.color;
        return theme().color(bar.ink);
    }
    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> legend;
        for (const Entry& entry : entries_)
            legend.push_back({entry.one_label && !entry.label.empty() ? entry.label : meaning(entry.ink),
                              entry.color, Swatch::square, false});
        return legend;
    }

 private:
    struct Entry {
        Ink ink;
        std::string_view label;
        ImU32 color;
        bool one_label;  ///< all bars of this colour are called the same
    };
    static bool matches(const Entry& entry, const Bar& bar) {
        return entry.ink == bar.ink && (bar.ink != Ink::series || entry.label == bar.label);
    }
    void add(const Bar& bar) {
        for (Entry& entry : entries_) {
            if (!matches(entry, bar)) continue;
            entry.one_label = entry.one_label && entry.label == bar.label;
            return;
        }
        const ImU32 color =
            bar.ink == Ink::series ? theme().series_color(free_colors_++) : theme().color(bar.ink);
        entries_.push_back({bar.ink, bar.label, color, true});
    }
    std::vector<Entry> entries_;
    std::size_t free_colors_ = 0;
};

struct TimelineLayout {
    PlotArea area;
    float pitch = 0, height = 0;  ///< of a row
    bool words = true;
    float below = 0;  ///< top of the legend, and of the axis's title beside it
    float first_legend_row = 0;
    bool legend = true;
};

TimelineLayout lay_out(const Timeline& timeline, const std::vector<LegendEntry>& legend, float title_width,
                       glm::vec2 origin, glm::vec2* size) {
    const Theme& t = theme();
    TimelineLayout layout;
    float labels = 0;
    for (const Timeline::Row& row : timeline.rows)
        labels = std::max(labels, std::ceil(text_size(Type::note, row.label).x));
    labels = std::min(labels, std::floor(size->x * 0.35f));
    const auto rows = static_cast<float>(std::max<std::size_t>(1, timeline.rows.size()));
    const float ticks = t.font(Type::mono)->FontSize + t.px(10), between = t.px(span_pitch - span_height);
    layout.first_legend_row = std::max(t.px(24), size->x - title_width - t.px(16));
    float words = std::max(t.px(24), legend_height(legend, size->x, layout.first_legend_row));
    const float natural = rows * t.px(span_pitch) - between + t.px(6) + ticks + words;
    size->y = size->y > 0 ? std::min(size->y, natural) : natural;
    const auto pitch_with = [&](float beside) { return (size->y - t.px(6) - beside + between) / rows; };
    // Squeezed: the legend goes first, the readout still names the colours.
    if (pitch_with(ticks + words) < t.px(10)) {
        layout.legend = false;
        words = t.px(20);
    }
    layout.pitch = std::clamp(pitch_with(ticks + words), t.px(3), t.px(span_pitch));
    layout.height = std::max(t.px(2), std::min(t.px(span_height), std::floor(layout.pitch * 0.7f)));
    layout.words = labels > 0 && layout.pitch >= t.font(Type::note)->FontSize;
    layout.area.min =
        glm::vec2(origin.x + (layout.words ? std::round(labels + t.px(12)) : 0), std::round(origin.y));
    layout.area.max =
        glm::vec2(origin.x + size->x - t.px(4),
                  layout.area.min.y + std::round((rows - 1) * layout.pitch + layout.height + t.px(6)));
    const float lowest = origin.y + size->y - ticks - words;  // more rows than there is room for are cut off
    layout.area.max.y = std::max(layout.area.min.y + t.px(8), std::min(layout.area.max.y, lowest));
    layout.below = layout.area.max.y + ticks;
    return layout;
}

struct Extremes {
    float top, bottom;
};
Extremes row_of(const TimelineLayout& layout, std::size_t row) {
    const float top = std::round(layout.area.min.y + static_cast<float>(row) * layout.pitch);
    return {top, top + std::round(layout.height)};
}

struct Stretch {
    float from, to;
};
Stretch pixels_of(const PlotArea& area, double start, double duration) {
    const float from = std::round(area.along_x(start)), to = std::round(area.along_x(start + duration));
    // What happened is seen, however short it was.
    return {from, std::max(to, from + std::max(1.0f, std::floor(theme().scale())))};
}

/// Name and time, or the name, whichever fits.
void label_bar(ImDrawList* list, const Bar& bar, const PlotArea& area, Stretch at, Extremes row,
               ImU32 color) {
    const Theme& t = theme();
    const float height = t.font(Type::note)->FontSize;
    // Zoomed in, the label stands in the part that is seen.
    const float from = std::max(at.from, area.min.x), to = std::min(at.to, area.max.x);
    const float room = to - from - t.px(12);
    if (room < height || row.bottom - row.top < height) return;
    const std::string time = value_text(time_axis, bar.duration_ns);
    for (const std::string& text : {bar.label.empty() ? time : bar.label + " " + time, bar.label}) {
        if (text.empty() || text_size(Type::note, text).x > room) continue;
        put_text(list, Type::note, glm::vec2(from + t.px(6), std::round((row.top + row.bottom - height) / 2)),
                 t.text_on(color), text);
        return;
    }
}

struct Found {
    std::size_t row = 0;
    const Bar* bar = nullptr;  ///< null: a gap
    double start = 0, duration = 0;
};

std::optional<Found> find(const Timeline& timeline, const TimelineLayout& layout, glm::vec2 mouse) {
    const PlotArea& area = layout.area;
    const auto row = static_cast<std::size_t>(std::max(0.0f, (mouse.y - area.min.y) / layout.pitch));
    if (row >= timeline.rows.size() || mouse.y > row_of(layout, row).bottom) return std::nullopt;
    const std::vector<Bar>& bars = timeline.rows[row].bars;
    const Bar* nearest = nullptr;
    float nearest_distance = theme().px(3);
    // From the top of the pile: later bars are drawn over earlier ones.
    for (auto bar = bars.rbegin(); bar != bars.rend(); ++bar) {
        if (!drawable(*bar)) continue;
        const Stretch at = pixels_of(area, bar->start_ns, bar->duration_ns);
        const float distance = mouse.x < at.from ? at.from - mouse.x : mouse.x > at.to ? mouse.x - at.to : -1;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = &*bar;
        }
    }
    if (nearest != nullptr) return Found{row, nearest, nearest->start_ns, nearest->duration_ns};
    // A gap: from the last end before the mouse to the next start.
    const double at = area.x_under(mouse);
    double from = 0, to = end_of(timeline.rows[row]);
    if (at < 0 || at > to) return std::nullopt;
    for (const Bar& bar : bars) {
        if (!drawable(bar)) continue;
        const double end = bar.start_ns + bar.duration_ns;
        if (end <= at) from = std::max(from, end);
        if (bar.start_ns > at) to = std::min(to, bar.start_ns);
    }
    return Found{row, nullptr, from, to - from};
}

void draw_rows(ImDrawList* list, const Timeline& timeline, const TimelineLayout& layout, const Colors& colors,
               const std::optional<Found>& found) {
    const Theme& t = theme();
    const PlotArea& area = layout.area;
    for (std::size_t r = 0; r < timeline.rows.size(); ++r) {
        const Extremes row = row_of(layout, r);
        if (row.top >= area.max.y) break;
        // Waiting is a thin strip: seen where nothing else is, and never taken for work.
        if (const double end = end_of(timeline.rows[r]); end > 0) {
            const Stretch at = pixels_of(area, 0, end);
            const float middle = std::round((row.top + row.bottom) / 2);
            const float half = std::max(1.0f, std::round(layout.height / 8));
            list->AddRectFilled(glm::vec2(at.from, middle - half), glm::vec2(at.to, middle + half),
                                t.color(Ink::wait));
        }
        Stretch last{0, 0};
        ImU32 last_color = 0;
        for (const Bar& bar : timeline.rows[r].bars) {
            if (!drawable(bar)) continue;
            Stretch at = pixels_of(area, bar.start_ns, bar.duration_ns);
            if (at.to < area.min.x || at.from > area.max.x) continue;
            ImU32 color = colors.of(bar);
            if (found && found->bar == &bar) color = mix(color, t.palette().text, 0.2f);
            // Thousands of bars in a pixel are one rectangle.
            if (at.from == last.from && at.to == last.to && color == last_color) continue;
            last = at;
            last_color = color;
            // Neighbours are told apart by a gap of one pixel, where there is one to spare.
            if (at.to - at.from >= t.px(4)) at.to -= std::max(1.0f, std::floor(t.scale()));
            const float radius = at.to - at.from >= t.px(8) && layout.height >= t.px(8) ? t.px(2) : 0;
            list->AddRectFilled(glm::vec2(at.from, row.top), glm::vec2(at.to, row.bottom), color, radius);
            label_bar(list, bar, area, at, row, color);
        }
    }
}

void draw_axis(ImDrawList* list, const TimelineLayout& layout, const std::vector<Tick>& ticks, float right) {
    const Theme& t = theme();
    const PlotArea& area = layout.area;
    float free_from = -1e9f;
    for (const Tick& tick : ticks) {
        const float width = text_size(Type::mono, tick.label).x;
        const float at = std::round(area.along_x(tick.position));
        const float x =
            std::clamp(at - width / 2, area.min.x - width / 2, std::max(area.min.x, right - width));
        if (x < free_from) continue;
        free_from = x + width + t.px(8);
        put_text(list, Type::mono, glm::vec2(std::round(x), area.max.y + t.px(6)), t.palette().quiet,
                 tick.label);
    }
}

void read_out(const Timeline& timeline, const Colors& colors, const Found& found, glm::vec2 mouse) {
    std::vector<ReadoutLine> lines;
    if (!timeline.rows[found.row].label.empty()) lines.push_back({0, timeline.rows[found.row].label, {}});
    const ImU32 color = found.bar != nullptr ? colors.of(*found.bar) : theme().color(Ink::wait);
    std::string label = found.bar != nullptr ? found.bar->label : "waiting";
    if (label.empty()) label = meaning(found.bar->ink);
    lines.push_back({color, label, value_text(time_axis, found.duration)});
    lines.push_back({0, "starts at", value_text(time_axis, found.start)});
    draw_readout(lines, mouse);
}

}  // namespace

void draw_timeline(std::string_view id, const Plot& plot, const Timeline& timeline, PlotView& view,
                   glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 origin = ImGui::GetCursorScreenPos();
    const Colors colors(timeline);
    const std::vector<LegendEntry> legend = colors.legend();
    Range fit;
    const bool any = time_range(timeline, &fit);
    const Range still{0, 1};
    Range x, y;
    settle_ranges(view, fit, still, &x, &y);
    std::string title = axis_title(time_axis, axis_unit(time_axis, x));
    TimelineLayout layout =
        lay_out(timeline, legend, any ? text_size(Type::note, title).x : 0, origin, &size);
    const glm::vec2 corner(origin.x + size.x, origin.y + size.y);
    layout.area.x = x;
    layout.area.y = y;
    const Navigation navigation =
        navigate(id, plot, view, {layout.area, fit, still, true}, origin, glm::vec2(corner.x, layout.below));
    if (navigation.changed) {
        settle_ranges(view, fit, still, &layout.area.x, &layout.area.y);
        title = axis_title(time_axis, axis_unit(time_axis, layout.area.x));
    }
    const PlotArea& area = layout.area;
    state.x = area.x;
    state.y = area.y;
    state.drawn = true;

    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    std::optional<Found> found;
    if (navigation.hovered && !state.boxing) found = find(timeline, layout, mouse);
    state.x_ticks.clear();
    if (any)
        state.x_ticks =
            axis_ticks(time_axis, area.x, std::clamp(static_cast<int>(area.width() / t.px(72)), 3, 12));
    {
        const float thick = std::max(1.0f, std::floor(t.scale()));
        RectBatch batch(list);
        for (const Tick& tick : state.x_ticks) {
            const float at = std::round(area.along_x(tick.position));
            batch.add(glm::vec2(at, area.min.y), glm::vec2(at + thick, area.max.y), t.palette().line);
        }
    }
    list->PushClipRect(glm::vec2(area.min.x - 1, area.min.y - 1), glm::vec2(area.max.x + 1, area.max.y + 1),
                       true);
    draw_rows(list, timeline, layout, colors, found);
    draw_zoom_box(list, view, area, true);
    list->PopClipRect();

    const float height = t.font(Type::note)->FontSize;
    for (std::size_t r = 0; layout.words && r < timeline.rows.size(); ++r) {
        const Extremes row = row_of(layout, r);
        if (row.bottom > area.max.y) break;
        put_text(list, Type::note, glm::vec2(origin.x, std::round((row.top + row.bottom - height) / 2)),
                 t.palette().quiet,
                 elide(Type::note, timeline.rows[r].label, area.min.x - origin.x - t.px(8)));
    }
    draw_axis(list, layout, state.x_ticks, corner.x);
    if (any)
        put_text_right(list, Type::note, glm::vec2(corner.x, layout.below + t.px(4)), t.palette().quiet,
                       title);
    if (layout.legend)
        draw_legend(id, legend, glm::vec2(origin.x, layout.below), size.x, layout.first_legend_row, false);
    if (navigation.focused)
        draw_focus_ring({{origin.x - t.px(4), origin.y - t.px(2)}, {corner.x + t.px(4), layout.below}},
                        t.px(6));
    if (found) read_out(timeline, colors, *found, mouse);
    register_widget(id, "plot", origin, corner);
    ImGui::SetCursorScreenPos(origin);
    advance_cursor(size);
}

}  // namespace gridstride::ui
