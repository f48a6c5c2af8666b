// Lines, points and error bars.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {
namespace {

/// SampleRange samples per pixel beyond which a line is drawn as the band that it fills.
constexpr std::size_t dense = 2;
/// One polyline's vertices must stay far below what a 16-bit index reaches.
constexpr std::size_t longest_polyline = 4000;

/// Samples that are looked at one by one in a frame.
constexpr std::size_t most_searched = 4000;

struct Point {
    double x, y;
};

/// The part of a segment inside the rectangle (Liang and Barsky, 1984), in doubles: zoomed far in, its ends
/// lie farther outside than a float can tell apart.
bool clip(Point& a, Point& b, Point low, Point high) {
    double from = 0, to = 1;
    const Point d{b.x - a.x, b.y - a.y};
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
    b = {a.x + to * d.x, a.y + to * d.y};
    a = {a.x + from * d.x, a.y + from * d.y};
    return true;
}

void stroke(const FigurePaint& paint, ImU32 color, float thickness) {
    std::vector<ImVec2>& points = paint.state.points;
    for (std::size_t i = 0; i + 1 < points.size(); i += longest_polyline - 1) {
        const std::size_t count = std::min(longest_polyline, points.size() - i);
        paint.list->AddPolyline(points.data() + i, static_cast<int>(count), color, 0, thickness);
    }
    points.clear();
}

void draw_sparse(const FigurePaint& paint, const SeriesData& data, std::size_t begin, std::size_t end,
                 ImU32 color, float thickness) {
    const PlotArea& area = paint.area;
    const Point start{area.min.x, area.min.y}, size{area.width(), area.height()};
    const Point low{-64, -64}, high{size.x + 64, size.y + 64};
    const auto place = [&](std::size_t i) {
        const double fx = (data.axis_x(i) - area.x.low) / area.x.length();
        const double fy = (data.axis_y(i) - area.y.low) / area.y.length();
        return area.horizontal ? Point{fy * size.x, fx * size.y} : Point{fx * size.x, (1 - fy) * size.y};
    };
    const auto on_screen = [&](Point p) {
        return glm::vec2(static_cast<float>(start.x + p.x), static_cast<float>(start.y + p.y));
    };
    std::vector<ImVec2>& points = paint.state.points;
    points.clear();
    for (std::size_t i = begin; i + 1 < end; ++i) {
        if (!data.valid(i) || !data.valid(i + 1)) {
            stroke(paint, color, thickness);
            continue;
        }
        Point a = place(i), b = place(i + 1);
        const Point whole_b = b;
        if (!clip(a, b, low, high)) {
            stroke(paint, color, thickness);
            continue;
        }
        if (points.empty()) points.push_back(on_screen(a));
        points.push_back(on_screen(b));
        if (b.x != whole_b.x || b.y != whole_b.y) stroke(paint, color, thickness);
    }
    stroke(paint, color, thickness);
}

/// Upper and lower edge at one position along x, as coordinates along y, upper <= lower.
struct Edge {
    float x, upper, lower;
};

/// The band between the edges, faded out over one pixel above and below: as smooth as ImGui's own lines.
void fill_band(const FigurePaint& paint, const std::vector<Edge>& edges, ImU32 color, ImU32 faded) {
    if (edges.size() < 2) return;
    ImDrawList* list = paint.list;
    const glm::vec2 white = ImGui::GetFontTexUvWhitePixel();
    const auto at = [&](float x, float y) {
        return paint.area.horizontal ? glm::vec2(y, x) : glm::vec2(x, y);
    };
    for (std::size_t begin = 0; begin + 1 < edges.size(); begin += longest_polyline - 1) {
        const std::size_t count = std::min(longest_polyline, edges.size() - begin);
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

void draw_dense(const FigurePaint& paint, const SeriesData& data, ImU32 color, float thickness) {
    const PlotArea& area = paint.area;
    const float width = column_width();
    const auto count = static_cast<std::size_t>(std::max(1.0f, area.x_length() / width));
    std::vector<Column>& columns = paint.state.columns;
    fill_columns(data, area.x, count, columns);
    const AxisScale scale = paint.figure.y.scale;
    const float start = area.horizontal ? area.min.y : area.min.x, half = thickness * 0.6f;
    const auto y = [&](double value) { return area.along_y(to_axis(scale, value)); };
    std::vector<Edge> edges;
    edges.reserve(columns.size());
    const Column* before = nullptr;
    std::size_t gap = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        if (column.extent.empty()) {
            // Without samples the line goes straight on; with samples that are no numbers it is broken.
            gap += column.begin < column.end ? 2 : 0;
            continue;
        }
        if (gap > 1) {
            fill_band(paint, edges, color, with_alpha(color, 0));
            edges.clear();
            before = nullptr;
        }
        gap = 0;
        const float a = y(column.extent.high), b = y(column.extent.low);
        Edge edge{start + (static_cast<float>(c) + 0.5f) * width, std::min(a, b), std::max(a, b)};
        if (before != nullptr) {
            // Half of the step between neighbours belongs to each, or steep lines would grow thin.
            const float step = (y(before->last) + y(column.first)) / 2;
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

/// A scatter of more points than there are places for them: one dot a place.
void draw_cloud(const FigurePaint& paint, const SeriesData& data, SampleRange visible, ImU32 color, float r) {
    const PlotArea& area = paint.area;
    const auto columns = static_cast<std::size_t>(std::max(1.0f, area.width() / r)) + 1;
    const auto rows = static_cast<std::size_t>(std::max(1.0f, area.height() / r)) + 1;
    std::vector<bool> taken(columns * rows);
    RectBatch batch(paint.list);
    for (std::size_t i = visible.begin; i < visible.end; ++i) {
        if (!data.valid(i)) continue;
        const glm::vec2 at = area.at(data.axis_x(i), data.axis_y(i));
        if (at.x < area.min.x || at.y < area.min.y || at.x > area.max.x || at.y > area.max.y) continue;
        const auto cell = static_cast<std::size_t>((at.y - area.min.y) / r) * columns +
                          static_cast<std::size_t>((at.x - area.min.x) / r);
        if (taken[cell]) continue;
        taken[cell] = true;
        batch.add(glm::vec2(at.x - r / 2, at.y - r / 2), glm::vec2(at.x + r / 2, at.y + r / 2), color);
    }
}

}  // namespace

void draw_lines(const FigurePaint& paint) {
    const float thickness = std::max(1.0f, theme().px(1.75f));
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.figure.series[s].mark != Mark::line || paint.hidden(s)) continue;
        const SeriesData& data = paint.state.data[s];
        const SampleRange visible = visible_points(paint, data);
        if (visible.count() > dense * static_cast<std::size_t>(std::max(1.0f, paint.area.x_length())))
            draw_dense(paint, data, paint.state.colors[s], thickness);
        else
            draw_sparse(paint, data, visible.begin, visible.end, paint.state.colors[s], thickness);
    }
}

void draw_points(const FigurePaint& paint) {
    const Theme& t = theme();
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        const Mark mark = paint.figure.series[s].mark;
        if (is_bar(mark)) continue;
        const std::size_t shape = point_shape(paint.figure, s);
        if (paint.hidden(s)) continue;
        const SeriesData& data = paint.state.data[s];
        const SampleRange visible = visible_points(paint, data);
        const float r = t.px(mark == Mark::scatter ? 3.5f : 3.0f);
        const ImU32 color = paint.state.colors[s];
        if (mark == Mark::scatter && visible.count() > most_searched) {
            draw_cloud(paint, data, visible, color, t.px(2));
            continue;
        }
        // On a line, points are shown only while they stand apart.
        const bool apart = static_cast<float>(visible.count()) * t.px(14) < paint.area.x_length();
        if (mark == Mark::line && !apart && visible.count() > most_searched) continue;
        for (std::size_t i = visible.begin; i < visible.end; ++i) {
            if (!data.valid(i)) continue;
            const bool alone = (i == 0 || !data.valid(i - 1)) && (i + 1 >= data.size() || !data.valid(i + 1));
            if (mark == Mark::line && !apart && !alone) continue;  // a lone value has no line to show it
            draw_point_shape(paint.list, shape, paint.area.at(data.axis_x(i), data.axis_y(i)), r, color);
        }
    }
}

std::size_t point_shape(const Figure& figure, std::size_t series) {
    std::size_t shape = 0;
    for (std::size_t s = 0; s < series; ++s)
        shape += is_bar(figure.series[s].mark) ? 0 : 1;
    return shape;
}

void draw_point_shape(ImDrawList* list, std::size_t shape, glm::vec2 at, float radius, ImU32 color) {
    const float r = radius;
    switch (shape % 4) {
        case 0:
            list->AddCircleFilled(at, r, color, 12);
            break;
        case 1:
            list->AddRectFilled(glm::vec2(at.x - r * 0.85f, at.y - r * 0.85f),
                                glm::vec2(at.x + r * 0.85f, at.y + r * 0.85f), color);
            break;
        case 2:
            list->AddTriangleFilled(glm::vec2(at.x, at.y - r * 1.15f),
                                    glm::vec2(at.x + r * 1.1f, at.y + r * 0.8f),
                                    glm::vec2(at.x - r * 1.1f, at.y + r * 0.8f), color);
            break;
        default:
            list->AddQuadFilled(glm::vec2(at.x, at.y - r * 1.25f), glm::vec2(at.x + r * 1.25f, at.y),
                                glm::vec2(at.x, at.y + r * 1.25f), glm::vec2(at.x - r * 1.25f, at.y), color);
    }
}

void draw_errors(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const AxisScale scale = paint.figure.y.scale;
    const auto place = [&](double value) {
        const double at = to_axis(scale, value);
        return area.along_y(std::isnan(at) ? area.y.low : at);
    };
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        const SeriesData& data = paint.state.data[s];
        if (paint.hidden(s) || !data.has_errors() || paint.figure.series[s].mark == Mark::stacked_bars)
            continue;
        const bool bar = is_bar(paint.figure.series[s].mark);
        const BarSlot slot = bar ? bar_slot(paint, s) : BarSlot{};
        const std::size_t begin = data.lower_bound(area.x.low - slot.pitch);
        const std::size_t end = data.lower_bound(area.x.high + slot.pitch);
        if (begin >= end) continue;
        const float each = area.x_length() / static_cast<float>(end - begin);
        const ImU32 color = bar ? mix(t.palette().text, t.palette().ground, 0.15f) : paint.state.colors[s];
        if (each < t.px(7)) {
            if (bar) continue;  // whiskers closer than this hide the bars that they qualify
            std::vector<Edge> edges;
            const std::size_t stride = std::max<std::size_t>(1, (end - begin) / 4096);
            for (std::size_t i = begin; i < end; i += stride) {
                Extent extent;
                for (std::size_t k = i; k < std::min(i + stride, end); ++k)
                    if (data.valid(k)) extent.add(data.low(k)), extent.add(data.high(k));
                if (extent.empty()) continue;
                const float a = place(extent.low), b = place(extent.high);
                edges.push_back({area.along_x(data.axis_x(i)), std::min(a, b), std::max(a, b)});
            }
            fill_band(paint, edges, with_alpha(color, 0.22f), with_alpha(color, 0));
            continue;
        }
        const float cap = std::min(t.px(4), each * 0.3f), thick = std::max(1.0f, std::floor(t.px(1.25f)));
        RectBatch batch(paint.list);
        const auto add = [&](float x0, float x1, float y0, float y1) {
            const Rect c = area.corners(x0, x1, y0, y1);
            batch.add(c.min, c.max, color);
        };
        for (std::size_t i = begin; i < end; ++i) {
            if (!data.valid(i) || !std::isfinite(data.low(i)) || !std::isfinite(data.high(i))) continue;
            const float x = std::round(area.along_x(data.axis_x(i) + slot.offset) - thick / 2);
            const float low = std::round(place(data.low(i))), high = std::round(place(data.high(i)));
            add(x, x + thick, low, high);
            add(x + thick / 2 - cap, x + thick / 2 + cap, low, low + thick);
            add(x + thick / 2 - cap, x + thick / 2 + cap, high, high + thick);
        }
    }
}

}  // namespace gridstride::ui
