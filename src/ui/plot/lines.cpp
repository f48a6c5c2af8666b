#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {
namespace {

/// With more samples per pixel than this, a line is drawn as a filled band.
constexpr std::size_t max_samples_per_pixel = 2;
/// Keeps the vertices of a polyline far below the limit of a 16-bit index.
constexpr std::size_t max_polyline_vertices = 4000;

/// Maximum number of points drawn one by one in a frame.
constexpr std::size_t max_drawn_points = 4000;

/// Clips a segment to the rectangle (Liang and Barsky, 1984). Uses doubles, because at a high zoom its ends
/// lie beyond the precision of a float. Returns false if nothing is left.
bool clip(glm::dvec2& a, glm::dvec2& b, glm::dvec2 low, glm::dvec2 high) {
    double from = 0, to = 1;
    const glm::dvec2 d = b - a;
    const auto against = [&](double p, double q) {
        if (p == 0) return q >= 0;
        const double r = q / p;
        if (p < 0) {
            if (r > to) return false;
            from = std::max(from, r);
        } else {
            if (r < from) return false;
            to = std::min(to, r);
        }
        return true;
    };
    if (!against(-d.x, a.x - low.x) || !against(d.x, high.x - a.x) || !against(-d.y, a.y - low.y) ||
        !against(d.y, high.y - a.y))
        return false;
    b = a + to * d;
    a += from * d;
    return true;
}

void stroke(const FigurePaint& paint, std::vector<ImVec2>& points, ImU32 color, float thickness) {
    for (std::size_t i = 0; i + 1 < points.size(); i += max_polyline_vertices - 1) {
        const std::size_t count = std::min(max_polyline_vertices, points.size() - i);
        paint.list->AddPolyline(points.data() + i, static_cast<int>(count), color, 0, thickness);
    }
    points.clear();
}

void draw_sparse(const FigurePaint& paint, const SeriesData& data, SampleRange visible, ImU32 color,
                 float thickness) {
    const PlotArea& area = paint.area;
    const glm::dvec2 start = area.min, size = area.size();
    const auto place = [&](std::size_t i) {
        const double fx = (data.axis_x(i) - area.x.low) / area.x.length();
        const double fy = (data.axis_y(i) - area.y.low) / area.y.length();
        return size * (area.is_horizontal ? glm::dvec2(fy, fx) : glm::dvec2(fx, 1 - fy));
    };
    std::vector<ImVec2> points;
    for (std::size_t i = visible.begin; i + 1 < visible.end; ++i) {
        glm::dvec2 a, b, whole_b;
        const bool valid = data.is_valid(i) && data.is_valid(i + 1);
        if (valid) a = place(i), b = whole_b = place(i + 1);
        if (!valid || !clip(a, b, glm::dvec2(-64), size + 64.0)) {
            stroke(paint, points, color, thickness);
            continue;
        }
        if (a == b) continue;  // ImGui would thicken the adjacent lines at a segment of zero length
        if (points.empty()) points.push_back(glm::vec2(start + a));
        points.push_back(glm::vec2(start + b));
        if (b != whole_b) stroke(paint, points, color, thickness);
    }
    stroke(paint, points, color, thickness);
}

/// Upper and lower edge of a band at one x, in screen coordinates; upper <= lower.
struct Edge {
    float x, upper, lower;
};

/// Fills the band, with a fade of one pixel above and below, like ImGui's own anti-aliased lines.
void fill_band(const FigurePaint& paint, const std::vector<Edge>& edges, ImU32 color, ImU32 faded) {
    if (edges.size() < 2) return;
    ImDrawList* list = paint.list;
    const glm::vec2 white = ImGui::GetFontTexUvWhitePixel();
    const auto at = [&](float x, float y) {
        return paint.area.is_horizontal ? glm::vec2(y, x) : glm::vec2(x, y);
    };
    for (std::size_t begin = 0; begin + 1 < edges.size(); begin += max_polyline_vertices - 1) {
        const std::size_t count = std::min(max_polyline_vertices, edges.size() - begin);
        list->PrimReserve(static_cast<int>(18 * (count - 1)), static_cast<int>(4 * count));
        const auto first = static_cast<unsigned>(list->_VtxCurrentIdx);
        for (std::size_t i = 0; i < count; ++i) {
            const Edge& e = edges[begin + i];
            list->PrimWriteVtx(at(e.x, e.upper - 0.5f), white, faded);
            list->PrimWriteVtx(at(e.x, e.upper + 0.5f), white, color);
            list->PrimWriteVtx(at(e.x, e.lower - 0.5f), white, color);
            list->PrimWriteVtx(at(e.x, e.lower + 0.5f), white, faded);
        }
        for (std::size_t i = 0; i + 1 < count; ++i) {
            for (unsigned strip = 0; strip < 3; ++strip) {
                const unsigned a = first + static_cast<unsigned>(4 * i) + strip;
                for (const unsigned index : {a, a + 1, a + 5, a, a + 5, a + 4})
                    list->PrimWriteIdx(static_cast<ImDrawIdx>(index));
            }
        }
    }
}

void draw_dense(const FigurePaint& paint, std::size_t series, float thickness) {
    const ImU32 color = paint.state.colors[series];
    const PlotArea& area = paint.area;
    const std::vector<Column> columns = screen_columns(paint, series);
    const float width = column_width();
    const float start = area.is_horizontal ? area.min.y : area.min.x, half = thickness * 0.6f;
    std::vector<Edge> edges;
    edges.reserve(columns.size());
    const Column* before = nullptr;
    std::size_t gap = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        if (column.extent.empty()) {
            // A column without samples continues the line; a column of NaN breaks it.
            gap += column.begin < column.end ? 2 : 0;
            continue;
        }
        if (gap > 1) {
            fill_band(paint, edges, color, with_alpha(color, 0));
            edges.clear();
            before = nullptr;
        }
        gap = 0;
        const float a = paint.along_value(column.extent.high), b = paint.along_value(column.extent.low);
        Edge edge{start + (static_cast<float>(c) + 0.5f) * width, std::min(a, b), std::max(a, b)};
        if (before != nullptr) {
            // Each neighbour gets half of the step between them, else steep lines would be thin.
            const float step = (paint.along_value(before->last) + paint.along_value(column.first)) / 2;
            edge.upper = std::min(edge.upper, step);
            edge.lower = std::max(edge.lower, step);
            edges.back().upper = std::min(edges.back().upper, step + half);
            edges.back().lower = std::max(edges.back().lower, step - half);
        }
        edges.push_back({edge.x, edge.upper - half, edge.lower + half});
        before = &column;
    }
    fill_band(paint, edges, color, with_alpha(color, 0));
}

SampleRange visible_points(const FigurePaint& paint, const SeriesData& data) {
    const std::size_t begin = data.lower_bound(paint.area.x.low), end = data.lower_bound(paint.area.x.high);
    return {begin > 0 ? begin - 1 : 0, std::min(data.size(), std::max(end, begin) + 1)};
}

/// Draws a scatter of very many points: at most one dot per grid place.
void draw_dense_scatter(const FigurePaint& paint, const SeriesData& data, SampleRange visible, ImU32 color,
                        float r) {
    const PlotArea& area = paint.area;
    const auto columns = static_cast<std::size_t>(std::max(1.0f, area.width() / r)) + 1;
    const auto rows = static_cast<std::size_t>(std::max(1.0f, area.height() / r)) + 1;
    std::vector<bool> occupied(columns * rows);
    RectBatch batch(paint.list);
    for (std::size_t i = visible.begin; i < visible.end; ++i) {
        if (!data.is_valid(i)) continue;
        const glm::vec2 at = area.at(data.axis_x(i), data.axis_y(i));
        if (at.x < area.min.x || at.y < area.min.y || at.x > area.max.x || at.y > area.max.y) continue;
        const auto cell = static_cast<std::size_t>((at.y - area.min.y) / r) * columns +
                          static_cast<std::size_t>((at.x - area.min.x) / r);
        if (occupied[cell]) continue;
        occupied[cell] = true;
        batch.add(at - r / 2, at + r / 2, color);
    }
}

}  // namespace

void draw_lines(const FigurePaint& paint) {
    const float thickness = std::max(1.0f, theme().px(1.75f));
    for (const std::size_t s : paint.visible_series(Mark::line)) {
        const SeriesData& data = paint.state.data[s];
        const SampleRange visible = visible_points(paint, data);
        if (visible.count() >
            max_samples_per_pixel * static_cast<std::size_t>(std::max(1.0f, paint.area.x_length())))
            draw_dense(paint, s, thickness);
        else
            draw_sparse(paint, data, visible, paint.state.colors[s], thickness);
    }
}

void draw_points(const FigurePaint& paint) {
    const Theme& t = theme();
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        const Mark mark = paint.figure.series[s].mark;
        if (is_bar(mark) || paint.is_hidden(s)) continue;
        const std::size_t shape = point_shape(paint.figure, s);
        const SeriesData& data = paint.state.data[s];
        const SampleRange visible = visible_points(paint, data);
        // Shapes can be told apart from 3 pixels on.
        const float r = std::clamp(paint.area.height() / 80, paint.is_small ? 1.0f : t.px(3),
                                   t.px(mark == Mark::scatter ? 3.5f : 3));
        const ImU32 color = paint.state.colors[s];
        if (mark == Mark::scatter && visible.count() > max_drawn_points) {
            draw_dense_scatter(paint, data, visible, color, t.px(2));
            continue;
        }
        // Points on a line are shown only if they do not touch.
        const bool is_separate = static_cast<float>(visible.count()) * t.px(14) < paint.area.x_length();
        if (mark == Mark::line && !is_separate && visible.count() > max_drawn_points) continue;
        for (std::size_t i = visible.begin; i < visible.end; ++i) {
            if (!data.is_valid(i)) continue;
            const bool is_isolated =
                (i == 0 || !data.is_valid(i - 1)) && (i + 1 >= data.size() || !data.is_valid(i + 1));
            if (mark == Mark::line && !is_separate && !is_isolated)
                continue;  // an isolated value has no line to show it
            draw_point_shape(paint.list, shape, paint.area.at(data.axis_x(i), data.axis_y(i)), r, color);
        }
    }
}

std::size_t point_shape(const Figure& figure, std::size_t series) {
    const auto before = std::span(figure.series).first(series);
    return static_cast<std::size_t>(std::ranges::count_if(before, [](auto& s) { return !is_bar(s.mark); }));
}

void draw_point_shape(ImDrawList* list, std::size_t shape, glm::vec2 at, float r, ImU32 color) {
    switch (shape % 4) {
        case 0:
            list->AddCircleFilled(at, r, color, 12);
            break;
        case 1:
            list->AddRectFilled(at - r * 0.85f, at + r * 0.85f, color);
            break;
        case 2:
            list->AddTriangleFilled({at.x, at.y - r * 1.15f}, {at.x + r * 1.1f, at.y + r * 0.8f},
                                    {at.x - r * 1.1f, at.y + r * 0.8f}, color);
            break;
        default:
            list->AddQuadFilled({at.x, at.y - r * 1.25f}, {at.x + r * 1.25f, at.y}, {at.x, at.y + r * 1.25f},
                                {at.x - r * 1.25f, at.y}, color);
    }
}

void draw_errors(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        const SeriesData& data = paint.state.data[s];
        if (paint.is_hidden(s) || !data.has_errors() || paint.figure.series[s].mark == Mark::stacked_bars)
            continue;
        const bool bar = is_bar(paint.figure.series[s].mark);
        const BarSlot slot = bar ? bar_slot(paint, s) : BarSlot{};
        const auto [begin, end] = visible_bars(paint, s, slot);
        if (begin >= end) continue;
        const float each = area.x_length() / static_cast<float>(end - begin);
        const ImU32 color = bar ? mix(t.palette().text, t.palette().ground, 0.15f) : paint.state.colors[s];
        if (each < t.px(7)) {
            if (bar) continue;  // closer whiskers would hide the bars
            std::vector<Edge> edges;
            const std::size_t stride = std::max<std::size_t>(1, (end - begin) / 4096);
            for (std::size_t i = begin; i < end; i += stride) {
                DataRange extent;
                for (std::size_t k = i; k < std::min(i + stride, end); ++k)
                    if (data.is_valid(k)) extent.add(data.low(k)), extent.add(data.high(k));
                if (extent.empty()) continue;
                const float a = paint.along_value(extent.low), b = paint.along_value(extent.high);
                edges.push_back({area.along_x(data.axis_x(i)), std::min(a, b), std::max(a, b)});
            }
            fill_band(paint, edges, with_alpha(color, 0.22f), with_alpha(color, 0));
            continue;
        }
        const float cap = std::min(t.px(4), each * 0.3f), thickness = std::max(1.0f, std::floor(t.px(1.25f)));
        RectBatch batch(paint.list);
        const auto add = [&](float x0, float x1, float y0, float y1) {
            const Rect c = area.corners(x0, x1, y0, y1);
            batch.add(c.min, c.max, color);
        };
        for (std::size_t i = begin; i < end; ++i) {
            if (!data.is_valid(i) || !std::isfinite(data.low(i)) || !std::isfinite(data.high(i))) continue;
            const float x = std::round(area.along_x(data.axis_x(i) + slot.offset) - thickness / 2);
            const float low = std::round(paint.along_value(data.low(i)));
            const float high = std::round(paint.along_value(data.high(i)));
            add(x, x + thickness, low, high);
            add(x + thickness / 2 - cap, x + thickness / 2 + cap, low, low + thickness);
            add(x + thickness / 2 - cap, x + thickness / 2 + cap, high, high + thickness);
        }
    }
}

}  // namespace gridstride::ui
