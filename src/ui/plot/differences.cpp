// Compares bars with their reference outlines, and makes each wrong bar visible, however small its difference
// and however many bars there are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// With more bars than this, outlines would hide each other.
constexpr std::size_t max_outlined = 64;
constexpr float differences_fraction = 0.34F;  ///< of the height

/// Finds the one series of bars and the one of outlines at the same x. Returns false if there is no such
/// pair.
bool find_pair(const FigurePaint& paint, std::size_t& bars, std::size_t& outlines) {
    std::size_t counts[2] = {0, 0};
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        const Mark mark = paint.figure.series[s].mark;
        if (mark != Mark::bars && mark != Mark::outline_bars) continue;
        (mark == Mark::bars ? bars : outlines) = s;
        ++counts[mark == Mark::bars ? 0 : 1];
    }
    if (counts[0] != 1 || counts[1] != 1) return false;
    const SeriesData &one = paint.state.data[bars], &other = paint.state.data[outlines];
    return one.size() == other.size() && one.x_range() == other.x_range();
}

void draw_cross(ImDrawList* list, glm::vec2 at, float half, ImU32 color) {
    const float thickness = std::max(1.0F, theme().px(1.5F));
    list->AddLine({at.x - half, at.y - half}, {at.x + half, at.y + half}, color, thickness);
    list->AddLine({at.x - half, at.y + half}, {at.x + half, at.y - half}, color, thickness);
}

}  // namespace

void find_differences(const FigurePaint& paint, bool has_changed) {
    std::optional<Differences>& found = paint.state.differences;
    std::size_t bars = 0, outlines = 0;
    if (!find_pair(paint, bars, outlines)) {
        found.reset();
        return;
    }
    if (found && !has_changed) return;
    const Series &series = paint.figure.series[bars], &outline = paint.figure.series[outlines];
    const SeriesData &one = paint.state.data[bars], &other = paint.state.data[outlines];
    found.emplace();
    found->bars = bars;
    found->outlines = outlines;
    found->has_many_bars = one.size() > max_outlined;
    for (std::size_t i = 0; i < one.size(); ++i) {
        const double difference = one.y(i) - other.y(i);
        // NaN counts as wrong.
        if (std::fabs(difference) <= outline.tolerance * std::fabs(other.y(i))) continue;
        found->wrong.push_back(i);
        if (!found->has_many_bars) continue;
        found->series.x.push_back(one.x(i));
        found->series.y.push_back(difference);
    }
    if (!found->has_many_bars) return;
    found->data.update(found->series, paint.figure.x.scale, AxisScale::linear);
    found->label = fmt::format("{} − {}{}", series.label, outline.label,
                               found->wrong.empty() ? tr(": no difference") : "");
}

void lay_out_differences(const FigurePaint& paint, PlotArea& area) {
    const Theme& t = theme();
    if (!paint.state.differences) return;
    Differences& found = *paint.state.differences;
    found.area = {};
    found.ticks.clear();
    const bool shown = found.has_many_bars && !found.wrong.empty() && !area.is_horizontal &&
                       !paint.is_hidden(found.bars) && !paint.is_hidden(found.outlines);
    const float words = t.line_height(TextStyle::note) + t.px(8);
    const float height = std::round((area.height() - words) * differences_fraction);
    if (!shown || height < t.px(24)) return;
    found.area.max.y = area.max.y;
    found.area.min.y = area.max.y - height;
    area.max.y = found.area.min.y - words;
    const Range data = found.data.y_range();
    Range range =
        data.low <= data.high ? Range{std::min(0.0, data.low), std::max(0.0, data.high)} : Range{-1, 1};
    // Room for the cross beyond the largest difference.
    const double room = range.length() * 14 * static_cast<double>(t.scale()) / static_cast<double>(height);
    range = {range.low < 0 ? range.low - room : range.low, range.high > 0 ? range.high + room : range.high};
    found.shown = widen(range, false);
    found.ticks = axis_ticks({.label = {}, .unit = paint.figure.y.unit}, found.shown,
                             std::clamp(static_cast<int>(height / t.px(28)), 2, 6));
}

std::optional<Hit> find_difference(const FigurePaint& paint, glm::vec2 mouse) {
    if (!paint.state.differences || !paint.state.differences->area.contains(mouse)) return std::nullopt;
    const Differences& found = *paint.state.differences;
    std::optional<Hit> hit;
    float nearest = theme().px(6);
    const std::size_t after = found.data.lower_bound(paint.area.x_under(mouse));
    for (std::size_t i = after > 0 ? after - 1 : 0; i < std::min(after + 1, found.data.size()); ++i) {
        const float distance = std::fabs(paint.area.along_x(found.data.axis_x(i)) - mouse.x);
        if (distance > nearest) continue;
        nearest = distance;
        const SeriesData& bars = paint.state.data[found.bars];
        hit = Hit{found.bars, found.wrong[i], bars.x(found.wrong[i]), bars.y(found.wrong[i])};
    }
    return hit;
}

void draw_differences(const FigurePaint& paint) {
    if (!paint.state.differences || paint.state.differences->area.height() <= 0) return;
    const Theme& t = theme();
    const Differences& found = *paint.state.differences;
    PlotArea area = paint.area;
    area.min.y = found.area.min.y;
    area.max.y = found.area.max.y;
    area.y = found.shown;

    const std::string words = tr("✗ {} of {} differ: {}", format_count(found.wrong.size()),
                                 format_count(paint.state.data[found.bars].size()), found.label);
    draw_plot_text(paint.list, TextStyle::note,
                   {area.min.x, area.min.y - t.font_size(TextStyle::note) - t.px(6)},
                   t.text_color(ColorRole::wrong), elide(TextStyle::note, words, area.width()));
    const float thickness = std::max(1.0F, std::floor(t.scale())), zero = std::round(area.along_y(0));
    {
        RectBatch batch(paint.list);
        for (const Tick& tick : found.ticks) {
            const float at = std::round(area.along_y(tick.position));
            const ImU32 color =
                tick.position == 0 ? mix(t.palette().line, t.palette().quiet, 0.6F) : t.palette().line;
            batch.add({area.min.x, at}, {area.max.x, at + thickness}, color);
        }
    }
    for (const Tick& tick : found.ticks) {
        const float at = area.along_y(tick.position);
        draw_plot_text_right(paint.list, TextStyle::mono,
                             {area.min.x - t.px(12), std::round(at - t.font_size(TextStyle::mono) / 2)},
                             t.palette().quiet, tick.label);
    }

    // Marks are at least two pixels wide and high; differences that share these pixels are merged.
    const float min_width = std::max(2.0F, std::round(t.px(2)));
    const FigurePaint below{paint.figure, paint.view, paint.state, area, paint.list, {}};
    const BarSlot slot = bar_slot(below, found.bars);
    paint.list->PushClipRect({area.min.x, area.min.y - 2}, {area.max.x, area.max.y + 2}, true);
    struct DifferenceBar {
        float x0 = 0, x1 = 0, high = 0, low = 0;  ///< high: the upper end on the screen
    };
    std::vector<DifferenceBar> all;
    const std::size_t end = found.data.lower_bound(area.x.high + slot.pitch);
    for (std::size_t i = found.data.lower_bound(area.x.low - slot.pitch); i < end; ++i) {
        const double value = found.data.y(i);
        const Rect bar = bar_rect(below, slot, found.data.axis_x(i), zero, zero);
        float at = std::isfinite(value) ? std::round(area.along_y(value)) : zero;
        if (std::fabs(at - zero) < min_width) at = value < 0 ? zero + min_width : zero - min_width;
        DifferenceBar one{bar.min.x, bar.max.x, std::min(at, zero), std::max(at, zero)};
        if (bar.width() < min_width) {
            one.x0 = std::floor(bar.min.x / min_width) * min_width;
            one.x1 = one.x0 + min_width;
        }
        if (!all.empty() && all.back().x0 == one.x0 && all.back().x1 == one.x1) {
            all.back().high = std::min(all.back().high, one.high);
            all.back().low = std::max(all.back().low, one.low);
            continue;
        }
        all.push_back(one);
    }
    {
        RectBatch batch(paint.list);
        for (const DifferenceBar& one : all)
            batch.add({one.x0, one.high}, {one.x1, one.low}, t.color(ColorRole::wrong));
    }
    // Crosses mark the wrong bars for readers who cannot tell the colour.
    float free_from = -1e9F;
    const float half = t.px(3);
    for (const DifferenceBar& one : all) {
        const float x = std::round((one.x0 + one.x1) / 2);
        if (x < free_from) continue;
        free_from = x + t.px(12);
        const bool up = zero - one.high >= one.low - zero;
        draw_cross(paint.list, {x, up ? one.high - t.px(7) : one.low + t.px(7)}, half,
                   t.text_color(ColorRole::wrong));
    }
    paint.list->PopClipRect();
}

void mark_wrong_bars(const FigurePaint& paint) {
    const std::optional<Differences>& found = paint.state.differences;
    if (!found || found->has_many_bars || paint.is_hidden(found->bars)) return;
    const Theme& t = theme();
    const SeriesData& data = paint.state.data[found->bars];
    const BarSlot slot = bar_slot(paint, found->bars);
    const float base = paint.along_value(0), half = t.px(3.5F);
    for (const std::size_t i : found->wrong) {
        if (!(data.axis_x(i) >= paint.area.x.low && data.axis_x(i) <= paint.area.x.high)) continue;
        const Rect bar = bar_rect(paint, slot, data.axis_x(i), base,
                                  data.is_valid(i) ? paint.area.along_y(data.axis_y(i)) : base);
        // Inside the end of a large bar, else at its foot.
        const bool inside = std::min(bar.width(), bar.height()) >= 4 * half;
        glm::vec2 at = bar.centre();
        if (paint.area.is_horizontal)
            at.x = inside ? bar.max.x - 2 * half : bar.min.x + 2 * half;
        else
            at.y = inside ? bar.min.y + 2 * half : bar.max.y - 2 * half;
        draw_cross(paint.list, at, half, inside ? t.text_on(t.color(ColorRole::wrong)) : t.palette().text);
    }
}

}  // namespace gridstride::ui
