// Markers of a figure: labelled lines across the data, and the points, bars and crosses that the caller
// marks.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

struct Place {
    std::size_t marker = 0;
    float at = 0;  ///< screen coordinate along its axis
};

/// Returns the visible markers of one axis in ascending screen order, in which labels are placed.
std::vector<Place> places(const FigurePaint& paint, bool on_y = false) {
    const PlotArea& area = paint.area;
    const Range& range = on_y ? area.y : area.x;
    std::vector<Place> all;
    for (std::size_t m = 0; m < paint.figure.markers.size(); ++m) {
        const Figure::Marker& marker = paint.figure.markers[m];
        if (marker.on_y != on_y) continue;
        const double at = to_axis((on_y ? paint.figure.y : paint.figure.x).scale, place_of(paint, marker));
        if (at >= range.low && at <= range.high)
            all.push_back({m, std::round(on_y ? area.along_y(at) : area.along_x(at))});
    }
    std::ranges::stable_sort(all, {}, &Place::at);
    return all;
}

bool lies(const FigurePaint& paint, const Figure::Marker& marker) {
    return marker.on_y != paint.area.horizontal;
}

constexpr float grip_reach = 5;  // to either side of the line

/// The handle at the end of a movable marker's line.
Rect grip_of(const FigurePaint& paint, const Place& place) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const bool lying = lies(paint, paint.figure.markers[place.marker]);
    const glm::vec2 half = lying ? glm::vec2(t.px(3), t.px(8)) : glm::vec2(t.px(8), t.px(3));
    const glm::vec2 at =
        lying ? glm::vec2(area.max.x - half.x, place.at) : glm::vec2(place.at, area.max.y - half.y);
    return Rect{at, at}.expanded(glm::round(half));
}

/// Returns the position requested by mouse, keys or script; nullopt if there is no request. Mouse and keys
/// stay inside the visible range, because a marker outside could not be dragged back.
std::optional<double> wanted_place(const FigurePaint& paint, const Figure::Marker& marker, const Item& item,
                                   const std::string& id) {
    if (const auto requested = take_requested_value(id)) return number_in<double>(*requested);
    const AxisScale scale = (marker.on_y ? paint.figure.y : paint.figure.x).scale;
    const Range& range = marker.on_y ? paint.area.y : paint.area.x;
    const double step = marker.step > 0 ? marker.step : 0;
    double at = 0;
    if (item.held) {
        const glm::vec2 mouse =
            glm::clamp(glm::vec2(ImGui::GetIO().MousePos), paint.area.min, paint.area.max);
        at = from_axis(scale, marker.on_y ? paint.area.y_under(mouse) : paint.area.x_under(mouse));
        if (step > 0) at = std::round(at / step) * step;
        if (to_axis(scale, at) > range.high) at -= step;
        if (to_axis(scale, at) < range.low) at += step;
    } else if (item.focused) {
        const auto down = [](Key key) { return plain_key_pressed(key, true) ? 1 : 0; };
        const int steps = down(Key::right) + down(Key::up) - down(Key::left) - down(Key::down);
        if (steps == 0) return std::nullopt;
        // Without a step, keys move by a hundredth of the visible range.
        const double now = place_of(paint, marker);
        at = step > 0 ? now + steps * step
                      : from_axis(scale, to_axis(scale, now) + steps * range.length() / 100);
    } else {
        return std::nullopt;
    }
    const double on_axis = to_axis(scale, at);
    return on_axis >= range.low && on_axis <= range.high ? std::optional(at) : std::nullopt;
}

float label_line() {
    return theme().font(Type::note)->FontSize + theme().px(4);
}

/// A label in a figure whose x axis is horizontal.
struct PlacedLabel {
    std::string text;
    float x = 0, width = 0;
    std::size_t row = 0;  ///< from the top
};
std::vector<PlacedLabel> placed_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float air = t.px(6);
    std::vector<PlacedLabel> all;
    std::vector<float> row_ends;
    for (const Place& place : places(paint)) {
        const std::string& full = paint.figure.markers[place.marker].label;
        if (full.empty()) continue;
        PlacedLabel label{elide(Type::note, full, area.width() - 2 * air)};
        label.width = text_size(Type::note, label.text).x;
        if (label.width > area.width() - 2 * air) continue;  // not even an ellipsis fits
        // Right of its line, or left at the end of the plot; always inside the data, so that it covers no
        // axis number.
        label.x = place.at + air;
        if (label.x + label.width > area.max.x - t.px(3)) label.x = place.at - air - label.width;
        label.x = std::max(label.x, area.min.x + t.px(3));
        while (label.row < row_ends.size() && row_ends[label.row] > label.x - t.px(8))
            ++label.row;
        if (label.row == row_ends.size()) row_ends.push_back(0);
        row_ends[label.row] = label.x + label.width;
        all.push_back(std::move(label));
    }
    return all;
}

/// With a background, because curves and bars lie behind it.
void put_label(const FigurePaint& paint, glm::vec2 position, float width, const std::string& label) {
    const Theme& t = theme();
    const float height = t.font(Type::note)->FontSize;
    const glm::vec2 air(t.px(3), t.px(1));
    paint.list->AddRectFilled(position - air, position + glm::vec2(width, height) + air,
                              with_alpha(t.palette().ground, 0.85f), t.px(3));
    put_text(paint.list, Type::note, position, t.palette().text, label);
}

/// Reads the caller's value; SeriesData may hold a sorted copy.
double x_of(const Series& series, std::size_t i) {
    return series.x.empty() || series.y_array ? static_cast<double>(i) : series.x[i];
}

bool has(const Series& series, std::size_t i) {
    if (series.y_array) return i < series.y_array->count();
    return i < series.y.size() && (series.x.empty() || i < series.x.size());
}

/// Two adjacent lines inside the bar, one of which is visible on any colour.
void frame_bar(const FigurePaint& paint, const PlotRing& ring, double x, double top) {
    const Theme& t = theme();
    const Rect bar =
        bar_corners(paint, bar_slot(paint, ring.series), x, paint.along_value(0), paint.area.along_y(top));
    float inset = 0;
    for (const bool outer : {true, false}) {
        const float thick = std::max(1.0F, std::round(t.px(outer && ring.strong ? 3 : 1)));
        const float in = inset + std::floor(thick / 2);  // ImGui adds half a pixel itself
        paint.list->AddRect(bar.min + in, bar.max - in, shown(outer ? t.palette().text : t.palette().ground),
                            0, 0, thick);
        inset += thick;
    }
}

/// Above the line at its right end, or below it if the top of the plot is too close.
void draw_labels_of_lying(const FigurePaint& paint, const std::vector<Place>& all) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float height = t.font(Type::note)->FontSize, line = label_line();
    float free_from = -1e9f;
    for (const Place& place : all) {
        const Figure::Marker& marker = paint.figure.markers[place.marker];
        const float air = t.px(marker.parameter.empty() ? 6 : 12);  // leaves space for the handle
        const std::string label = elide(Type::note, marker.label, area.width() - 2 * air);
        const float width = text_size(Type::note, label).x;
        float y = place.at - line;
        if (y < area.min.y) y = place.at + t.px(4);
        if (label.empty() || width > area.width() - 2 * air || y + height > area.max.y || y < free_from)
            continue;
        free_from = y + line;
        put_label(paint, glm::vec2(std::round(area.max.x - air - width), std::round(y)), width, label);
    }
}

}  // namespace

void draw_marker_lines(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float thick = std::max(1.0f, std::floor(t.scale())), dash = t.px(4), gap = t.px(3);
    RectBatch batch(paint.list);
    // Dashed, unlike grid and data lines.
    for (const bool on_y : {false, true})
        for (const Place& place : places(paint, on_y)) {
            const Figure::Marker& marker = paint.figure.markers[place.marker];
            const bool lying = lies(paint, marker);
            const ImU32 color = marker.parameter.empty() ? t.palette().quiet : t.as_text(Ink::caution);
            const float to = lying ? area.max.x : area.max.y;
            for (float at = lying ? area.min.x : area.min.y; at < to; at += dash + gap) {
                const float end = std::min(at + dash, to);
                const Rect c = lying ? Rect{{at, place.at}, {end, place.at + thick}}
                                     : Rect{{place.at, at}, {place.at + thick, end}};
                batch.add(c.min, c.max, color);
            }
            if (marker.parameter.empty() || paint.small) continue;
            const Rect grip = grip_of(paint, place);
            batch.add(grip.min, grip.max, color);
        }
}

double place_of(const FigurePaint& paint, const Figure::Marker& marker) {
    const std::optional<MovingMarker>& moving = paint.state.moving;
    const bool moves = moving && !marker.parameter.empty() && marker.parameter == moving->parameter;
    return moves ? moving->at : marker.x;
}

std::optional<MarkerMove> move_markers(std::string_view id, const FigurePaint& paint) {
    std::optional<MovingMarker>& moving = paint.state.moving;
    std::optional<MarkerMove> move;
    for (const bool on_y : {false, true})
        for (const Place& place : places(paint, on_y)) {
            const Figure::Marker& marker = paint.figure.markers[place.marker];
            if (marker.parameter.empty() || paint.view.still) continue;
            const float reach = std::round(theme().px(grip_reach));
            const Rect line = lies(paint, marker)
                                  ? Rect{{paint.area.min.x, place.at}, {paint.area.max.x, place.at}}
                                  : Rect{{place.at, paint.area.min.y}, {place.at, paint.area.max.y}};
            const Rect rect = line.expanded(lies(paint, marker) ? glm::vec2(0, reach) : glm::vec2(reach, 0));
            const std::string own = std::string(id) + ".marker." + marker.parameter;
            const std::string value =
                value_text(marker.on_y ? paint.figure.y : paint.figure.x, place_of(paint, marker));
            const Item item =
                interact(own, {"marker", value}, rect,
                         {.takes_arrows = true, .ring_after_click = true, .press_on_down = true});
            if (item.hovered || item.held)
                ImGui::SetMouseCursor(lies(paint, marker) ? ImGuiMouseCursor_ResizeNS
                                                          : ImGuiMouseCursor_ResizeEW);
            if (item.focused) draw_focus_ring(grip_of(paint, place), theme().px(2));
            const double now = ImGui::GetTime();
            if (const auto to = wanted_place(paint, marker, item, own);
                to && *to != place_of(paint, marker)) {
                move = MarkerMove{marker.parameter, *to};
                moving = MovingMarker{marker.parameter, *to, marker.x, now + 1};
            }
            if (!moving || moving->parameter != marker.parameter) continue;
            // After its release the marker keeps its position while the figure did not follow, for at most
            // one second.
            if (item.held) {
                *moving = {marker.parameter, moving->at, marker.x, now + 1};
            } else if (marker.x != moving->from || moving->at == marker.x || now > moving->until) {
                moving.reset();
            } else {
                request_redraw_within(moving->until - now);
            }
        }
    return move;
}

float marker_label_space(const FigurePaint& paint) {
    if (paint.area.horizontal || paint.figure.markers.empty()) return 0;
    // Boxes reach up to the line, so its label gets space of its own.
    std::size_t rows =
        !paint.figure.boxes.empty() && std::ranges::any_of(paint.figure.markers, &Figure::Marker::on_y) ? 1
                                                                                                        : 0;
    for (const PlacedLabel& label : placed_labels(paint))
        rows = std::max(rows, label.row + 1);
    // Many labels close together must not take half of the plot.
    return std::min(static_cast<float>(rows) * (label_line() + 1), paint.area.height() * 0.3f);
}

void draw_marker_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float height = t.font(Type::note)->FontSize, line = label_line();
    draw_labels_of_lying(paint, places(paint, !area.horizontal));
    if (area.horizontal) return;
    for (const PlacedLabel& label : placed_labels(paint)) {
        const float y = area.min.y + t.px(2) + static_cast<float>(label.row) * line;
        if (y + height > area.max.y) continue;  // only in the readout
        put_label(paint, glm::vec2(std::round(label.x), std::round(y)), label.width, label.text);
    }
}

std::optional<std::size_t> find_marker(const FigurePaint& paint, glm::vec2 mouse) {
    float nearest = theme().px(grip_reach);
    std::optional<std::size_t> found;
    for (const bool on_y : {false, true})
        for (const Place& place : places(paint, on_y)) {
            const float at = lies(paint, paint.figure.markers[place.marker]) ? mouse.y : mouse.x;
            if (const float distance = std::fabs(place.at - at); distance <= nearest) {
                nearest = distance;
                found = place.marker;
            }
        }
    return found;
}

void draw_rings(const FigurePaint& paint) {
    if (paint.view.rings.empty()) return;
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float reach = t.px(6);  // rings at the edge stay whole
    paint.list->PushClipRect(area.min - reach, area.max + reach, true);
    for (const PlotRing& ring : paint.view.rings) {
        if (ring.series >= paint.figure.series.size() || paint.hidden(ring.series)) continue;
        const Series& series = paint.figure.series[ring.series];
        if (series.mark == Mark::stacked_bars || !has(series, ring.index)) continue;
        const double value = series.y_array ? series.y_array->number(ring.index) : series.y[ring.index];
        const double x = to_axis(paint.figure.x.scale, x_of(series, ring.index));
        const double y = to_axis(paint.figure.y.scale, value);
        if (std::isnan(x) || std::isnan(y)) continue;
        if (is_bar(series.mark))
            frame_bar(paint, ring, x, y);
        else
            paint.list->AddCircle(area.at(x, y), t.px(ring.strong ? 8 : 6), shown(t.palette().text), 0,
                                  t.px(ring.strong ? 2 : 1));
    }
    paint.list->PopClipRect();
}

Rect cross_corners(const PlotArea& area, double axis_x) {
    const glm::vec2 size = text_size(Type::note, "✗");
    const float along = area.along_x(axis_x);
    const glm::vec2 at = area.horizontal ? glm::vec2(area.min.x, std::round(along - size.y / 2))
                                         : glm::vec2(std::round(along - size.x / 2), area.max.y - size.y);
    return {at, at + size};
}

void draw_crosses(const FigurePaint& paint) {
    for (const double value : paint.view.crosses) {
        const double x = to_axis(paint.figure.x.scale, value);
        if (!(x >= paint.area.x.low && x <= paint.area.x.high)) continue;
        draw_text(paint.list, Type::note, cross_corners(paint.area, x).min, theme().as_text(Ink::wrong), "✗");
    }
}

}  // namespace gridstride::ui
