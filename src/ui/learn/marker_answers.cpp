// Answers by markers on a logarithmic ruler, a lane for each, or on a curve over two axes. After the
// decision, the measured values are drawn beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "lesson/trace_metrics.h"
#include "ui/learn/question.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

struct LogAxis {
    double low = 1, high = 10;

    float fraction_of(double value) const {
        if (!(value > 0)) return 0;
        const double part = std::log(value / low) / std::log(high / low);
        return static_cast<float>(std::clamp(part, 0.0, 1.0));
    }
    double value_at(float part) const {
        return low * std::pow(high / low, static_cast<double>(std::clamp(part, 0.0F, 1.0F)));
    }
    std::vector<double> decades() const {
        std::vector<double> all;
        for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power) {
            const double value = std::pow(10.0, power);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) all.push_back(value);
        }
        return all;
    }
    /// Returns the value moved by this many tenths of a decade.
    double step_value(double value, int tenths) const {
        const double next = std::round(std::log10(value) * 10 + tenths) / 10;
        return std::clamp(std::pow(10.0, next), low, high);
    }
    double middle() const { return std::sqrt(low * high); }
};

LogAxis make_axis(const PredictRuler& ruler) {
    LogAxis axis{ruler.low, ruler.high};
    if (!(axis.low > 0)) axis.low = 1;
    if (!(axis.high > axis.low)) axis.high = axis.low * 10;
    return axis;
}

std::vector<double> current_marks(const Question& question) {
    const std::size_t count = question.block.marks.size();
    if (question.prediction.answer.marks.size() == count) return question.prediction.answer.marks;
    const auto& drafts = question.workspace.mark_drafts;
    const auto draft = drafts.find(question.name());
    const bool usable = draft != drafts.end() && draft->second.size() == count &&
                        std::ranges::any_of(draft->second, [](double mark) { return std::isnan(mark); });
    return usable ? draft->second : std::vector<double>(count, no_value);
}

/// Moves a marker. Once all are placed, they become the answer.
void set_mark(const Question& question, std::size_t mark, double value) {
    std::vector<double> marks = current_marks(question);
    marks[mark] = value;
    if (std::ranges::none_of(marks, [](double one) { return std::isnan(one); }))
        question.prediction.answer.marks = std::move(marks);
    else
        question.workspace.mark_drafts[question.name()] = std::move(marks);
}

std::string mark_id(const Question& question, std::size_t mark) {
    return fmt::format("story.mark.{}.{}", question.index, mark);
}

std::string mark_text(const Question& question, std::size_t mark, double value) {
    return std::isnan(value) ? tr("not placed") : describe_mark(question.block.marks[mark].value, value);
}

std::string format_tick(const Question& question, double value) {
    return describe_mark(question.block.marks.front().value, value);
}

/// Moves a marker by keys, script or mouse. `part`: the mouse's fraction of the axis. Draws nothing.
Item handle_mark_input(const Question& question, std::size_t mark, const Rect& whole, const Rect& active,
                       const LogAxis& axis, float part) {
    const std::string id = mark_id(question, mark);
    const double before = current_marks(question)[mark];
    const bool enabled = question.accepts_answers();
    Item item = interact(
        id, {"mark", mark_text(question, mark, before)}, whole, active,
        {.is_enabled = enabled, .takes_arrows = true, .ring_after_click = true, .press_on_down = true});
    if (!enabled) return item;
    const double position = std::isnan(before) ? axis.middle() : before;
    std::optional<double> now;
    if (const auto requested = take_requested_value(id)) now = parse_number<double>(*requested);
    if (item.is_held)
        now = axis.value_at(part);
    else if (item.was_clicked && item.is_focused)
        now = position;
    if (item.is_focused) {
        const bool up = is_plain_key_pressed(Key::right, true) || is_plain_key_pressed(Key::up, true);
        const bool down = is_plain_key_pressed(Key::left, true) || is_plain_key_pressed(Key::down, true);
        if (up != down) now = axis.step_value(position, up ? 1 : -1);
        if (is_plain_key_pressed(Key::home)) now = axis.low;
        if (is_plain_key_pressed(Key::end)) now = axis.high;
    }
    if (now && *now > 0) set_mark(question, mark, std::clamp(*now, axis.low, axis.high));
    return item;
}

/// Draws the knob of a predicted value. draw_measured_mark() draws the rhombus of the measured one.
void draw_predicted_mark(ImDrawList* list, glm::vec2 at, bool is_placed, const Item& item, ImU32 color) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const float radius = std::round(t.px(7));
    if (item.is_focused) list->AddCircleFilled(at, radius + t.px(4), with_style_alpha(p.action), 32);
    if (is_placed)
        list->AddCircleFilled(at, radius, with_style_alpha(color), 32);
    else
        list->AddCircleFilled(at, radius, with_style_alpha(p.raised), 32);
    list->AddCircle(at, radius, with_style_alpha(is_placed ? p.text : color), 32, std::max(1.0F, t.px(1.5F)));
}
void draw_measured_mark(ImDrawList* list, glm::vec2 at) {
    const float r = std::round(theme().px(7));
    list->AddQuadFilled(at - glm::vec2(0, r), at + glm::vec2(r, 0), at + glm::vec2(0, r),
                        at - glm::vec2(r, 0), with_style_alpha(theme().palette().kernel));
}

const Estimate* measured_mark(const Question& question, std::size_t mark) {
    const auto& outcome = question.prediction.outcome;
    return outcome && mark < outcome->values.size() ? &outcome->values[mark] : nullptr;
}

/// Labels as many powers of ten as have room. `along` maps a fraction to pixels; `words` draws a label.
template <class Along, class Words>
void draw_decades(ImDrawList* list, const LogAxis& axis, float min_distance, Along along, Words words) {
    const std::vector<double> decades = axis.decades();
    float last = -1e9F;
    for (const double value : decades) {
        const float at = along(axis.fraction_of(value));
        if (std::abs(at - last) < min_distance) continue;
        words(list, value, at);
        last = at;
    }
}

// --- A lane for each marker under one ruler

struct LaneLayout {
    float row, label, lane, ruler;  ///< heights, in pixels
    float height;
};
LaneLayout compute_lane_layout(const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    LaneLayout lanes{};
    lanes.ruler = t.line_height(TextStyle::note) + std::round(t.px(4));
    lanes.lane = std::round(t.px(style.density == Density::comfortable ? 20 : 18));
    const float value = text_size(TextStyle::mono, "000.0 ms").x + t.px(12);
    lanes.height = lanes.ruler;
    for (const PredictMark& mark : question.block.marks)
        lanes.height +=
            spans_height(parse_spans(mark.label), style.rows, width - value) + lanes.lane + style.between;
    return lanes;
}

void draw_lanes(const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const LogAxis axis = make_axis(question.block.ruler);
    const LaneLayout lanes = compute_lane_layout(question, style, width);
    const float inset = std::round(t.px(8));
    const float value_width = text_size(TextStyle::mono, "000.0 ms").x + t.px(12);
    const glm::vec2 start = cursor();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float from = start.x + inset, to = start.x + width - inset;
    const auto x_of = [&](double value) { return std::round(from + axis.fraction_of(value) * (to - from)); };
    glm::vec2 at = start;
    for (std::size_t mark = 0; mark < question.block.marks.size(); ++mark) {
        const Spans& label = parse_spans(question.block.marks[mark].label);
        const float label_height = spans_height(label, style.rows, width - value_width);
        const Rect whole{at, at + glm::vec2(width, label_height + lanes.lane)};
        const Rect lane{{at.x, at.y + label_height}, whole.max};
        const float part = (ImGui::GetIO().MousePos.x - from) / std::max(1.0F, to - from);
        const Item item = handle_mark_input(question, mark, whole, lane, axis, part);
        const double predicted = current_marks(question)[mark];
        const Estimate* measured = measured_mark(question, mark);
        set_cursor(at);
        draw_spans(label, style.rows, width - value_width);
        draw_text_right(list, TextStyle::mono,
                        {whole.max.x, at.y + baseline(style.rows) - baseline(TextStyle::mono)},
                        measured                ? t.text_color(p.kernel)
                        : std::isnan(predicted) ? p.quiet
                                                : p.text,
                        mark_text(question, mark, measured ? measured->value : predicted));
        const float y = std::round(lane.centre().y);
        list->AddRectFilled({from, y - t.px(1)}, {to, y + t.px(1)}, with_style_alpha(p.line));
        for (const double decade : axis.decades())
            list->AddRectFilled({x_of(decade), y - t.px(4)}, {x_of(decade) + 1, y + t.px(4)},
                                with_style_alpha(p.line));
        const double position = std::isnan(predicted) ? axis.middle() : predicted;
        draw_predicted_mark(list, {x_of(position), y}, !std::isnan(predicted), item, p.upload);
        if (measured) draw_measured_mark(list, {x_of(measured->value), y});
        at.y = whole.max.y + style.between;
    }
    draw_decades(
        list, axis, t.px(64), [&](float part) { return from + part * (to - from); },
        [&](ImDrawList* on, double value, float x) {
            const std::string words = format_tick(question, value);
            const float label_width = text_size(TextStyle::note, words).x;
            const float left = std::clamp(x - label_width / 2, start.x, start.x + width - label_width);
            draw_text(on, TextStyle::note, {std::round(left), at.y}, p.quiet, words);
        });
}

// --- A curve: markers at fixed places of one axis, moved along the other

bool is_curve(const PredictBlock& block) {
    return std::ranges::all_of(block.marks, [](const PredictMark& mark) { return mark.at.has_value(); });
}

/// Half the height once it is decided: the markers no longer move, and the verdict needs room.
float curve_height(const Question& question, const CardStyle& style) {
    const Theme& t = theme();
    constexpr float heights[] = {168, 136, 112};
    const float part = question.prediction.outcome ? 0.5F : 1.0F;
    return std::round(t.px(part * heights[static_cast<std::size_t>(style.density)])) +
           3 * t.line_height(TextStyle::note);
}

/// Returns the curve of a marker: markers of the same metric form a curve.
std::size_t curve_index(const std::vector<PredictMark>& marks, std::size_t mark) {
    std::vector<std::string_view> metrics;
    for (const PredictMark& one : marks)
        if (std::ranges::find(metrics, one.value.value.metric) == metrics.end())
            metrics.emplace_back(one.value.value.metric);
    const auto found = std::ranges::find(metrics, marks[mark].value.value.metric);
    return static_cast<std::size_t>(found - metrics.begin());
}

/// Returns the name of the marker's curve, "GPU" for the label "GPU, 256"; empty if the label has no comma.
std::string_view curve_name(const PredictMark& mark) {
    const std::string_view label = mark.label;
    return label.substr(0, label.find(',') == std::string_view::npos ? 0 : label.find(','));
}

/// Returns the x positions of the markers; those at the same value are placed side by side.
std::vector<float> curve_x_positions(const std::vector<PredictMark>& marks, float from, float to,
                                     float knob) {
    LogAxis across{*marks.front().at, *marks.front().at};
    for (const PredictMark& mark : marks) {
        across.low = std::min(across.low, *mark.at);
        across.high = std::max(across.high, *mark.at);
    }
    if (!(across.low > 0)) across.low = 1;
    if (!(across.high > across.low)) across.high = across.low * 10;
    std::vector<float> places;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        float before = 0, all = 0;
        for (std::size_t j = 0; j < marks.size(); ++j) {
            if (*marks[j].at != *marks[i].at) continue;
            ++all;
            if (j < i) ++before;
        }
        const float aside = (before - (all - 1) / 2) * knob;
        places.push_back(std::round(from + across.fraction_of(*marks[i].at) * (to - from) + aside));
    }
    return places;
}

void draw_curve(const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const auto& marks = question.block.marks;
    const LogAxis axis = make_axis(question.block.ruler);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 start = cursor();
    const float line = t.line_height(TextStyle::note);
    float left = 0;
    for (const double value : axis.decades())
        left = std::max(left, text_size(TextStyle::note, format_tick(question, value)).x);
    left = std::ceil(left + t.px(8));
    const float knob = std::round(t.px(18));
    // Above the field is the name of the y axis, below it the ticks and the name of the x axis.
    const Rect field{start + glm::vec2(left, line + knob / 2),
                     start + glm::vec2(width, curve_height(question, style) - 2 * line - t.px(2))};
    const auto y_of = [&](double value) {
        return std::round(field.max.y - axis.fraction_of(value) * field.height());
    };
    const std::vector<float> xs =
        curve_x_positions(marks, field.min.x + 1.5F * knob, field.max.x - 1.5F * knob, knob);
    draw_decades(
        list, axis, line, [&](float part) { return field.max.y - part * field.height(); },
        [&](ImDrawList* on, double value, float y) {
            on->AddRectFilled({field.min.x, std::round(y)}, {field.max.x, std::round(y) + 1},
                              with_style_alpha(p.line));
            draw_text_right(on, TextStyle::note, {field.min.x - t.px(6), std::round(y - line / 2)}, p.quiet,
                            format_tick(question, value));
        });

    struct Curve {
        std::string_view name;
        std::vector<glm::vec2> predicted, measured;
    };
    std::vector<Curve> curves;
    std::vector<Item> items;
    std::vector<glm::vec2> knobs;
    const float part = (field.max.y - ImGui::GetIO().MousePos.y) / std::max(1.0F, field.height());
    for (std::size_t mark = 0; mark < marks.size(); ++mark) {
        // The column ends half way to the neighbours, so that a click finds the nearest marker.
        float to_left = field.min.x, to_right = field.max.x;
        for (const float other : xs) {
            if (other < xs[mark]) to_left = std::max(to_left, (other + xs[mark]) / 2);
            if (other > xs[mark]) to_right = std::min(to_right, (other + xs[mark]) / 2);
        }
        const Rect column{{to_left, field.min.y}, {to_right, field.max.y}};
        items.push_back(handle_mark_input(question, mark, column, column, axis, part));
        const double now = current_marks(question)[mark];
        knobs.emplace_back(xs[mark], y_of(std::isnan(now) ? axis.middle() : now));
        const std::size_t curve = curve_index(marks, mark);
        curves.resize(std::max(curves.size(), curve + 1));
        curves[curve].name = curve_name(marks[mark]);
        if (!std::isnan(now)) curves[curve].predicted.push_back(knobs.back());
        if (const Estimate* known = measured_mark(question, mark))
            curves[curve].measured.emplace_back(xs[mark], y_of(known->value));
        if (items.back().is_hovered || items.back().is_held || items.back().is_focused)
            show_tooltip({knobs.back() - glm::vec2(knob), knobs.back() + glm::vec2(knob)},
                         fmt::format("{}: {}", marks[mark].label, mark_text(question, mark, now)));
    }
    float name_at = start.x + width;
    for (std::size_t i = curves.size(); i-- > 0;) {
        Curve& curve = curves[i];
        const ImU32 color = t.series_color(i);
        const auto draw_line = [&](std::vector<glm::vec2>& points) {
            std::ranges::sort(points, {}, [](const glm::vec2& point) { return point.x; });
            for (std::size_t j = 1; j < points.size(); ++j)
                list->AddLine(points[j - 1], points[j], with_style_alpha(color), std::max(1.0F, t.px(1.5F)));
        };
        draw_line(curve.predicted);
        draw_line(curve.measured);
        if (curve.name.empty()) continue;
        const std::string name = elide(TextStyle::note, curve.name, width / 4);
        name_at -= text_size(TextStyle::note, name).x;
        draw_text(list, TextStyle::note, {std::round(name_at), start.y}, p.quiet, name);
        name_at -= t.px(14);
        list->AddCircleFilled({name_at + t.px(5), std::floor(start.y + line / 2)}, t.px(4),
                              with_style_alpha(color), 16);
        name_at -= t.px(12);
    }
    draw_text(list, TextStyle::note, start, p.quiet,
              elide(TextStyle::note, question.block.ruler.label, name_at - start.x));
    for (std::size_t mark = 0; mark < marks.size(); ++mark)
        draw_predicted_mark(list, knobs[mark], !std::isnan(current_marks(question)[mark]), items[mark],
                            t.series_color(curve_index(marks, mark)));
    for (const Curve& curve : curves)
        for (const glm::vec2& place : curve.measured)
            draw_measured_mark(list, place);
    float free_from = start.x;
    for (std::size_t mark = 0; mark < marks.size(); ++mark) {
        const std::string words = format_significant(*marks[mark].at, 7);
        const float label_width = text_size(TextStyle::note, words).x;
        const float x = std::clamp(xs[mark] - label_width / 2, start.x, start.x + width - label_width);
        if (x < free_from) continue;
        draw_text(list, TextStyle::note, {std::round(x), field.max.y + t.px(2)}, p.quiet, words);
        free_from = x + label_width + t.px(8);
    }
    draw_text_right(list, TextStyle::note, {start.x + width, field.max.y + t.px(2) + line}, p.quiet,
                    elide(TextStyle::note, question.block.ruler.across, width));
}

}  // namespace

void add_marks(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    if (question.block.marks.empty()) return;
    const Palette& p = theme().palette();
    if (is_curve(question.block)) {
        rows.push_back({curve_height(question, style),
                        [question, style, width] { draw_curve(question, style, width); }, true});
    } else {
        if (!question.block.ruler.label.empty())
            add_text(rows, {{question.block.ruler.label}}, TextStyle::note, width, p.quiet);
        rows.push_back({compute_lane_layout(question, style, width).height,
                        [question, style, width] { draw_lanes(question, style, width); }, true});
    }
    const bool is_traced = is_trace_metric(question.block.marks.front().value.value.metric);
    if (question.prediction.outcome)
        add_text(rows, {{is_traced ? tr("○ you    ◆ traced") : tr("○ you    ◆ measured")}}, TextStyle::note,
                 width, p.quiet);
    else if (question.accepts_answers())
        add_text(rows, {{tr("Drag each marker, or press the arrow keys.")}}, TextStyle::note, width, p.quiet);
}

}  // namespace gridstride::ui
