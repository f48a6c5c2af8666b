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

struct PlacedMarker {
    std::size_t marker = 0;
    float at = 0;  ///< screen coordinate along its axis
};

/// Returns the visible markers of one axis in ascending screen order, in which labels are placed.
std::vector<PlacedMarker> visible_markers(const FigurePaint& paint, bool is_on_y = false) {
    const PlotArea& area = paint.area;
    const Range& range = is_on_y ? area.y : area.x;
    std::vector<PlacedMarker> all;
    for (std::size_t m = 0; m < paint.figure.markers.size(); ++m) {
        const Figure::Marker& marker = paint.figure.markers[m];
        if (marker.is_on_y != is_on_y) continue;
        const double at =
            to_axis((is_on_y ? paint.figure.y : paint.figure.x).scale, marker_position(paint, marker));
        if (at >= range.low && at <= range.high)
            all.push_back({m, std::round(is_on_y ? area.along_y(at) : area.along_x(at))});
    }
    std::ranges::stable_sort(all, {}, &PlacedMarker::at);
    return all;
}

bool is_line_horizontal(const FigurePaint& paint, const Figure::Marker& marker) {
    return marker.is_on_y != paint.area.is_horizontal;
}

constexpr float handle_reach = 5;  // to either side of the line

/// The handle at the end of a movable marker's line.
Rect get_handle_rect(const FigurePaint& paint, const PlacedMarker& marker_place) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const bool is_horizontal = is_line_horizontal(paint, paint.figure.markers[marker_place.marker]);
    const glm::vec2 half = is_horizontal ? glm::vec2(t.px(3), t.px(8)) : glm::vec2(t.px(8), t.px(3));
    const glm::vec2 at = is_horizontal ? glm::vec2(area.max.x - half.x, marker_place.at)
                                       : glm::vec2(marker_place.at, area.max.y - half.y);
    return Rect{at, at}.expanded(glm::round(half));
}

/// Returns the position requested by mouse, keys or script; nullopt if there is no request. Mouse and keys
/// stay inside the visible range, because a marker outside could not be dragged back.
std::optional<double> requested_position(const FigurePaint& paint, const Figure::Marker& marker,
                                         const Item& item, const std::string& id) {
    if (const auto requested = take_requested_value(id)) return parse_number<double>(*requested);
    const AxisScale scale = (marker.is_on_y ? paint.figure.y : paint.figure.x).scale;
    const Range& range = marker.is_on_y ? paint.area.y : paint.area.x;
    const double step = marker.step > 0 ? marker.step : 0;
    double at = 0;
    if (item.is_held) {
        const glm::vec2 mouse =
            glm::clamp(glm::vec2(ImGui::GetIO().MousePos), paint.area.min, paint.area.max);
        at = from_axis(scale, marker.is_on_y ? paint.area.y_under(mouse) : paint.area.x_under(mouse));
        if (step > 0) at = std::round(at / step) * step;
        if (to_axis(scale, at) > range.high) at -= step;
        if (to_axis(scale, at) < range.low) at += step;
    } else if (item.is_focused) {
        const auto down = [](Key key) { return is_plain_key_pressed(key, true) ? 1 : 0; };
        const int steps = down(Key::right) + down(Key::up) - down(Key::left) - down(Key::down);
        if (steps == 0) return std::nullopt;
        // Without a step, keys move by a hundredth of the visible range.
        const double now = marker_position(paint, marker);
        at = step > 0 ? now + steps * step
                      : from_axis(scale, to_axis(scale, now) + steps * range.length() / 100);
    } else {
        return std::nullopt;
    }
    const double on_axis = to_axis(scale, at);
    return on_axis >= range.low && on_axis <= range.high ? std::optional(at) : std::nullopt;
}

float label_line() {
    return theme().font_size(TextStyle::note) + theme().px(4);
}

/// A label in a figure whose x axis is horizontal.
struct LabelPosition {
    std::string text;
    float x = 0, width = 0;
    std::size_t row = 0;  ///< from the top
};
std::vector<LabelPosition> lay_out_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float padding = t.px(6);
    std::vector<LabelPosition> all;
    std::vector<float> row_ends;
    for (const PlacedMarker& marker_place : visible_markers(paint)) {
        const std::string& full = paint.figure.markers[marker_place.marker].label;
        if (full.empty()) continue;
        LabelPosition label{elide(TextStyle::note, full, area.width() - 2 * padding)};
        label.width = text_size(TextStyle::note, label.text).x;
        if (label.width > area.width() - 2 * padding) continue;  // not even an ellipsis fits
        // Right of its line, or left at the end of the plot; always inside the data, so that it covers no
        // axis number.
        label.x = marker_place.at + padding;
        if (label.x + label.width > area.max.x - t.px(3)) label.x = marker_place.at - padding - label.width;
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
void draw_label(const FigurePaint& paint, glm::vec2 position, float width, const std::string& label) {
    const Theme& t = theme();
    const float height = t.font_size(TextStyle::note);
    const glm::vec2 padding(t.px(3), t.px(1));
    paint.list->AddRectFilled(position - padding, position + glm::vec2(width, height) + padding,
                              with_alpha(t.palette().ground, 0.85f), t.px(3));
    draw_plot_text(paint.list, TextStyle::note, position, t.palette().text, label);
}

/// Reads the caller's value; SeriesData may hold a sorted copy.
double get_x(const Series& series, std::size_t i) {
    return series.x.empty() || series.y_array ? static_cast<double>(i) : series.x[i];
}

bool has_value(const Series& series, std::size_t i) {
    if (series.y_array) return i < series.y_array->count();
    return i < series.y.size() && (series.x.empty() || i < series.x.size());
}

/// Two adjacent lines inside the bar, one of which is visible on any colour.
void draw_bar_frame(const FigurePaint& paint, const PlotHighlight& ring, double x, double top) {
    const Theme& t = theme();
    const Rect bar =
        bar_rect(paint, bar_slot(paint, ring.series), x, paint.along_value(0), paint.area.along_y(top));
    float inset = 0;
    for (const bool outer : {true, false}) {
        const float thickness = std::max(1.0F, std::round(t.px(outer && ring.is_strong ? 3 : 1)));
        const float in = inset + std::floor(thickness / 2);  // ImGui adds half a pixel itself
        paint.list->AddRect(bar.min + in, bar.max - in,
                            with_style_alpha(outer ? t.palette().text : t.palette().ground), 0, 0, thickness);
        inset += thickness;
    }
}

/// Above the line at its right end, or below it if the top of the plot is too close.
void draw_horizontal_labels(const FigurePaint& paint, const std::vector<PlacedMarker>& all) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float height = t.font_size(TextStyle::note), line = label_line();
    float free_from = -1e9f;
    for (const PlacedMarker& marker_place : all) {
        const Figure::Marker& marker = paint.figure.markers[marker_place.marker];
        const float padding = t.px(marker.parameter.empty() ? 6 : 12);  // leaves space for the handle
        const std::string label = elide(TextStyle::note, marker.label, area.width() - 2 * padding);
        const float width = text_size(TextStyle::note, label).x;
        float y = marker_place.at - line;
        if (y < area.min.y) y = marker_place.at + t.px(4);
        if (label.empty() || width > area.width() - 2 * padding || y + height > area.max.y || y < free_from)
            continue;
        free_from = y + line;
        draw_label(paint, glm::vec2(std::round(area.max.x - padding - width), std::round(y)), width, label);
    }
}

}  // namespace

void draw_marker_lines(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float thickness = std::max(1.0f, std::floor(t.scale())), dash = t.px(4), gap = t.px(3);
    RectBatch batch(paint.list);
    // The lines are dashed to differ from grid and data lines.
    for (const bool on_y : {false, true})
        for (const PlacedMarker& marker_place : visible_markers(paint, on_y)) {
            const Figure::Marker& marker = paint.figure.markers[marker_place.marker];
            const bool is_horizontal = is_line_horizontal(paint, marker);
            const ImU32 color =
                marker.parameter.empty() ? t.palette().quiet : t.text_color(ColorRole::caution);
            const float to = is_horizontal ? area.max.x : area.max.y;
            for (float at = is_horizontal ? area.min.x : area.min.y; at < to; at += dash + gap) {
                const float end = std::min(at + dash, to);
                const Rect c = is_horizontal
                                   ? Rect{{at, marker_place.at}, {end, marker_place.at + thickness}}
                                   : Rect{{marker_place.at, at}, {marker_place.at + thickness, end}};
                batch.add(c.min, c.max, color);
            }
            if (marker.parameter.empty() || paint.is_small) continue;
            const Rect handle = get_handle_rect(paint, marker_place);
            batch.add(handle.min, handle.max, color);
        }
}

double marker_position(const FigurePaint& paint, const Figure::Marker& marker) {
    const std::optional<PendingMarkerMove>& pending_move = paint.state.pending_move;
    const bool moves =
        pending_move && !marker.parameter.empty() && marker.parameter == pending_move->parameter;
    return moves ? pending_move->at : marker.x;
}

std::optional<MarkerMove> move_markers(std::string_view id, const FigurePaint& paint) {
    std::optional<PendingMarkerMove>& pending_move = paint.state.pending_move;
    std::optional<MarkerMove> move;
    for (const bool on_y : {false, true})
        for (const PlacedMarker& marker_place : visible_markers(paint, on_y)) {
            const Figure::Marker& marker = paint.figure.markers[marker_place.marker];
            if (marker.parameter.empty() || paint.view.is_static_image) continue;
            const float reach = std::round(theme().px(handle_reach));
            const Rect line =
                is_line_horizontal(paint, marker)
                    ? Rect{{paint.area.min.x, marker_place.at}, {paint.area.max.x, marker_place.at}}
                    : Rect{{marker_place.at, paint.area.min.y}, {marker_place.at, paint.area.max.y}};
            const Rect rect =
                line.expanded(is_line_horizontal(paint, marker) ? glm::vec2(0, reach) : glm::vec2(reach, 0));
            const std::string own = std::string(id) + ".marker." + marker.parameter;
            const std::string value =
                value_text(marker.is_on_y ? paint.figure.y : paint.figure.x, marker_position(paint, marker));
            const Item item =
                interact(own, {"marker", value}, rect,
                         {.takes_arrows = true, .ring_after_click = true, .press_on_down = true});
            if (item.is_hovered || item.is_held)
                ImGui::SetMouseCursor(is_line_horizontal(paint, marker) ? ImGuiMouseCursor_ResizeNS
                                                                        : ImGuiMouseCursor_ResizeEW);
            if (item.is_focused) draw_focus_ring(get_handle_rect(paint, marker_place), theme().px(2));
            const double now = ImGui::GetTime();
            if (const auto to = requested_position(paint, marker, item, own);
                to && *to != marker_position(paint, marker)) {
                move = MarkerMove{marker.parameter, *to};
                pending_move = PendingMarkerMove{marker.parameter, *to, marker.x, now + 1};
            }
            if (!pending_move || pending_move->parameter != marker.parameter) continue;
            // After its release the marker keeps its position while the figure did not follow, for at most
            // one second.
            if (item.is_held) {
                *pending_move = {marker.parameter, pending_move->at, marker.x, now + 1};
            } else if (marker.x != pending_move->from || pending_move->at == marker.x ||
                       now > pending_move->expires_at) {
                pending_move.reset();
            } else {
                request_redraw_within(pending_move->expires_at - now);
            }
        }
    return move;
}

float marker_label_space(const FigurePaint& paint) {
    if (paint.area.is_horizontal || paint.figure.markers.empty()) return 0;
    // Boxes reach up to the line, so its label gets space of its own.
    std::size_t rows =
        !paint.figure.boxes.empty() && std::ranges::any_of(paint.figure.markers, &Figure::Marker::is_on_y)
            ? 1
            : 0;
    for (const LabelPosition& label : lay_out_labels(paint))
        rows = std::max(rows, label.row + 1);
    // Many labels close together must not take half of the plot.
    return std::min(static_cast<float>(rows) * (label_line() + 1), paint.area.height() * 0.3f);
}

void draw_marker_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float height = t.font_size(TextStyle::note), line = label_line();
    draw_horizontal_labels(paint, visible_markers(paint, !area.is_horizontal));
    if (area.is_horizontal) return;
    for (const LabelPosition& label : lay_out_labels(paint)) {
        const float y = area.min.y + t.px(2) + static_cast<float>(label.row) * line;
        if (y + height > area.max.y) continue;  // only in the readout
        draw_label(paint, glm::vec2(std::round(label.x), std::round(y)), label.width, label.text);
    }
}

std::optional<std::size_t> find_marker(const FigurePaint& paint, glm::vec2 mouse) {
    float nearest = theme().px(handle_reach);
    std::optional<std::size_t> found;
    for (const bool on_y : {false, true})
        for (const PlacedMarker& marker_place : visible_markers(paint, on_y)) {
            const float at =
                is_line_horizontal(paint, paint.figure.markers[marker_place.marker]) ? mouse.y : mouse.x;
            if (const float distance = std::fabs(marker_place.at - at); distance <= nearest) {
                nearest = distance;
                found = marker_place.marker;
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
    for (const PlotHighlight& ring : paint.view.rings) {
        if (ring.series >= paint.figure.series.size() || paint.is_hidden(ring.series)) continue;
        const Series& series = paint.figure.series[ring.series];
        if (series.mark == Mark::stacked_bars || !has_value(series, ring.index)) continue;
        const double value = series.y_array ? series.y_array->number(ring.index) : series.y[ring.index];
        const double x = to_axis(paint.figure.x.scale, get_x(series, ring.index));
        const double y = to_axis(paint.figure.y.scale, value);
        if (std::isnan(x) || std::isnan(y)) continue;
        if (is_bar(series.mark))
            draw_bar_frame(paint, ring, x, y);
        else
            paint.list->AddCircle(area.at(x, y), t.px(ring.is_strong ? 8 : 6),
                                  with_style_alpha(t.palette().text), 0, t.px(ring.is_strong ? 2 : 1));
    }
    paint.list->PopClipRect();
}

Rect cross_rect(const PlotArea& area, double axis_x) {
    const glm::vec2 size = text_size(TextStyle::note, "✗");
    const float along = area.along_x(axis_x);
    const glm::vec2 at = area.is_horizontal ? glm::vec2(area.min.x, std::round(along - size.y / 2))
                                            : glm::vec2(std::round(along - size.x / 2), area.max.y - size.y);
    return {at, at + size};
}

void draw_crosses(const FigurePaint& paint) {
    for (const double value : paint.view.crosses) {
        const double x = to_axis(paint.figure.x.scale, value);
        if (!(x >= paint.area.x.low && x <= paint.area.x.high)) continue;
        draw_text(paint.list, TextStyle::note, cross_rect(paint.area, x).min,
                  theme().text_color(ColorRole::wrong), "✗");
    }
}

}  // namespace gridstride::ui
