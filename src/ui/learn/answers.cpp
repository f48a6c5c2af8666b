#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "ui/learn/question.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

float row_padding() {
    return std::round(theme().px(12));
}

namespace {

// --- A number

/// The keys of the number pad. The last one is backspace.
constexpr std::string_view number_keys[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "0", ".", "←"};

void press_number_key(std::string& text, std::string_view key) {
    if (key == std::end(number_keys)[-1]) {
        if (!text.empty()) text.pop_back();
    } else if (key != "." || text.find('.') == std::string::npos) {
        text += key;
    }
}

/// Draws a number pad for the mouse. Tab skips its keys, since Tab requires a keyboard.
void draw_number_keys(const Question& question, float width, float height) {
    const Theme& t = theme();
    const float gap = std::round(t.px(4));
    const auto count = static_cast<float>(std::size(number_keys));
    const float key_width = std::min(std::round(t.px(28)), std::floor((width + gap) / count) - gap);
    ImDrawList* list = ImGui::GetWindowDrawList();
    glm::vec2 at = cursor();
    for (const std::string_view key : number_keys) {
        const std::string id = fmt::format("story.guess.{}.{}", question.index,
                                           key == "←"   ? "back"
                                           : key == "." ? "point"
                                                        : key);
        const Rect rect{at, at + glm::vec2(key_width, height)};
        add_item(rect, make_widget_id(id));
        const Press press = handle_press(id, {"button", key}, rect);
        if (press.was_clicked) press_number_key(question.prediction.guess_text, key);
        const ControlColors face = button_colors({.emphasis = Emphasis::quiet}, press);
        draw_control_background(rect, face, t.px(4));
        draw_text(list, TextStyle::note, glm::round(rect.centre() - text_size(TextStyle::note, key) / 2.0F),
                  face.text, key);
        at.x += key_width + gap;
    }
}

}  // namespace

void add_guess(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    if (question.prediction.outcome) {
        const std::string words = answer_text(question.block, question.prediction);
        if (!words.empty()) add_text(rows, {{tr("You predicted: {}", words)}}, style.rows, width);
        return add_why_wrong(rows, *question.prediction.outcome, style, width);
    }
    const Theme& t = theme();
    const float field = std::round(t.px(120)), gap = std::round(t.px(8));
    const float field_height = t.font_size(TextStyle::mono) + 2 * t.px(8);
    // Invalid text stays in the field; it becomes an answer once it is a number.
    const Prediction& prediction = question.prediction;
    const bool is_invalid = !remove_spaces(prediction.guess_text).empty() && !prediction.answer.guess;
    const Spans unit = {
        {is_invalid ? tr("This is not a number. Type one such as 12.5.") : question.block.guess->unit}};
    const float rest = std::max(width - field - gap, t.px(60));
    const float unit_height = spans_height(unit, style.rows, rest);
    rows.push_back(
        {std::ceil(std::max(field_height, unit_height)),
         [=] {
             const glm::vec2 start = ImGui::GetCursorScreenPos();
             const bool entered =
                 text_field(fmt::format("story.guess.{}", question.index), &question.prediction.guess_text,
                            {.width = field, .is_enabled = question.accepts_answers()});
             const float top = start.y + std::max(0.0F, (field_height - unit_height) / 2);
             set_cursor({start.x + field + gap, std::floor(top)});
             draw_spans(unit, style.rows, rest,
                        is_invalid ? theme().text_color(ColorRole::wrong) : theme().palette().quiet);
             Session& session = question.workspace.session;
             if (entered && session.prediction_to_decide() == question.index)
                 question.workspace.decide(question.index);
         },
         true});
    if (!question.accepts_answers()) return;
    const float key_height = std::round(t.px(style.density == Density::dense ? 20 : 24));
    rows.push_back({key_height, [=] { draw_number_keys(question, width, key_height); }});
}

namespace {

// --- An order

std::vector<std::size_t> current_order(const Question& question) {
    std::vector<std::size_t> order = question.prediction.answer.order;
    if (order.size() == question.block.items.size()) return order;
    order.resize(question.block.items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// Sizes of a row, in pixels: its number, its text, both buttons, one button, its height.
struct OrderRow {
    float number, words, buttons, button, height;
};
OrderRow compute_order_row(const Question& question, std::size_t item, const CardStyle& style, float width) {
    const Theme& t = theme();
    OrderRow row{};
    row.number = std::round(t.px(28));
    row.button = std::round(t.px(style.density == Density::dense ? 20 : 24));
    row.buttons = 2 * row.button + std::round(t.px(8));
    row.words = std::max(width - row.number - row.buttons, t.px(40));
    row.height = std::max(spans_height(parse_spans(question.block.items[item].label), style.rows, row.words),
                          row.button) +
                 2 * style.inside;
    return row;
}

void move_item(const Question& question, std::size_t from, std::size_t to) {
    std::vector<std::size_t> order = current_order(question);
    if (from >= order.size() || to >= order.size()) return;
    const std::size_t item = order[from];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), item);
    question.prediction.answer.order = std::move(order);
}

bool arrow_button(const std::string& id, const Rect& rect, bool up, bool is_enabled) {
    const Theme& t = theme();
    const Item item = interact(id, {"button", up ? "▲" : "▼"}, rect, {.is_enabled = is_enabled});
    const ControlColors face = button_colors({.emphasis = Emphasis::quiet, .is_enabled = is_enabled}, item);
    draw_control_background(rect, face, t.px(4));
    const glm::vec2 middle = glm::floor(rect.centre());
    const float half = t.px(4), tip = up ? -t.px(3) : t.px(3);
    ImGui::GetWindowDrawList()->AddTriangleFilled(middle + glm::vec2(-half, -tip),
                                                  middle + glm::vec2(half, -tip), middle + glm::vec2(0, tip),
                                                  face.text);
    if (item.is_focused) draw_focus_ring(rect, t.px(4));
    return item.was_clicked;
}

/// Draws the rows and handles dragging, keys, buttons and scripts. A move shows in the next frame.
void draw_order(const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const std::vector<std::size_t> order = current_order(question);
    const bool enabled = question.accepts_answers();
    struct Move {
        std::size_t from, to;
    };
    std::optional<Move> move;
    std::vector<Rect> rects;
    glm::vec2 at = cursor();
    for (const std::size_t item : order) {
        rects.push_back({at, at + glm::vec2(width, compute_order_row(question, item, style, width).height)});
        at.y = rects.back().max.y + style.between;
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t number = order[place];
        const OrderRow row = compute_order_row(question, number, style, width);
        const Rect& rect = rects[place];
        const std::string id = fmt::format("story.order.{}.{}", question.index, number);
        const Rect handle{rect.min, {rect.max.x - row.buttons, rect.max.y}};
        const Item item = interact(id, {"order", fmt::format("{}", place + 1)}, rect, handle,
                                   {.is_enabled = enabled, .takes_arrows = true, .ring_after_click = true});
        if (const auto requested = enabled ? take_requested_value(id) : std::nullopt)
            if (const auto target = parse_number<std::size_t>(*requested); target && *target >= 1)
                move = Move{place, std::min(*target, order.size()) - 1};
        if (item.is_held) {
            const float y = ImGui::GetIO().MousePos.y;
            if (place > 0 && y < rects[place - 1].centre().y) move = Move{place, place - 1};
            if (place + 1 < order.size() && y > rects[place + 1].centre().y) move = Move{place, place + 1};
        }
        if (item.is_focused) {
            const auto pressed = [](Key key) {
                return is_key_pressed_with(key, {.ctrl = true}, true) ||
                       is_key_pressed_with(key, {.alt = true}, true);
            };
            if (pressed(Key::up) && place > 0) move = Move{place, place - 1};
            if (pressed(Key::down) && place + 1 < order.size()) move = Move{place, place + 1};
            if (is_plain_key_pressed(Key::up, true) && place > 0)
                focus_widget(fmt::format("story.order.{}.{}", question.index, order[place - 1]));
            if (is_plain_key_pressed(Key::down, true) && place + 1 < order.size())
                focus_widget(fmt::format("story.order.{}.{}", question.index, order[place + 1]));
        }
        const ControlColors face = button_colors({}, item);
        draw_control_background(rect, face, t.px(6));
        const float words_top = rect.min.y + style.inside;
        draw_text(list, style.rows, {rect.min.x + row_padding(), words_top}, palette.quiet,
                  fmt::format("{}", place + 1));
        set_cursor({rect.min.x + row.number, words_top});
        draw_spans(parse_spans(question.block.items[number].label), style.rows, row.words, face.text);
        if (item.is_focused) draw_focus_ring(rect, t.px(6));
        const float top = std::floor(rect.centre().y - row.button / 2);
        const glm::vec2 up(rect.max.x - row.buttons + std::round(t.px(4)), top);
        const glm::vec2 down = up + glm::vec2(row.button, 0);
        if (arrow_button(id + ".up", {up, up + glm::vec2(row.button)}, true, enabled && place > 0))
            move = Move{place, place - 1};
        if (arrow_button(id + ".down", {down, down + glm::vec2(row.button)}, false,
                         enabled && place + 1 < order.size()))
            move = Move{place, place + 1};
    }
    if (move) move_item(question, move->from, move->to);
}

void add_measured_order(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    const Outcome& outcome = *question.prediction.outcome;
    const std::vector<PredictItem>& items = question.block.items;
    const std::vector<std::size_t>& predicted_order = question.prediction.answer.order;
    const std::vector<Estimate>& values = outcome.deciding_values();
    if (values.size() != items.size()) return;
    std::size_t place = 0;
    for (const std::size_t item : measured_order(outcome)) {
        Spans words = {{fmt::format("{}. ", ++place)}};
        const Spans& label = parse_spans(items[item].label);
        words.insert(words.end(), label.begin(), label.end());
        words.push_back({fmt::format(": {}", describe_metric(items[item].value, values[item].value))});
        const auto predicted = std::ranges::find(predicted_order, item);
        const bool same = predicted != predicted_order.end() &&
                          predicted - predicted_order.begin() + 1 == static_cast<std::ptrdiff_t>(place);
        if (predicted != predicted_order.end() && !same)
            words.push_back({tr(" (you: {})", predicted - predicted_order.begin() + 1)});
        const bool judged = outcome.result == Outcome::Result::wrong;
        add_text(
            rows, words, style.rows, width,
            judged ? std::optional(t.text_color(same ? ColorRole::right : ColorRole::wrong)) : std::nullopt);
    }
}

}  // namespace

void add_order(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    if (question.prediction.outcome) return add_measured_order(rows, question, style, width);
    float height = -style.between;
    for (const std::size_t item : current_order(question))
        height += compute_order_row(question, item, style, width).height + style.between;
    rows.push_back({height, [question, style, width] { draw_order(question, style, width); }, true});
    if (!question.accepts_answers()) return;
    add_text(rows, {{tr("Smallest first: drag, or press Ctrl with ↑ and ↓.")}}, TextStyle::note, width,
             theme().palette().quiet);
    // This row stays when the question is answered, so that nothing moves under the mouse.
    const ButtonOptions keep{.is_small = true, .tooltip = tr("Submit the order shown as your answer")};
    rows.push_back(
        {button_size(tr("Keep this order"), keep).y,
         [question, keep] {
             if (!question.prediction.answer.order.empty())
                 draw_spans({{tr("This is your answer.")}}, TextStyle::note, 0, theme().palette().quiet);
             else if (button(fmt::format("story.order.{}.keep", question.index), tr("Keep this order"), keep))
                 question.prediction.answer.order = current_order(question);
         },
         true});
}

}  // namespace gridstride::ui
