// A sequence of options that the user arranges, such as the steps of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/language.h"
#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

// Design pixels.
constexpr float piece_padding = 10, piece_gap = 6, remove_width = 18;
constexpr ButtonOptions add_button{.emphasis = Emphasis::quiet, .is_small = true};

float piece_height() {
    return button_size("", add_button).y;
}
float piece_width(const Option& option) {
    return std::round(text_size(TextStyle::note, option.label).x + theme().px(piece_padding + remove_width));
}

/// Returns rectangles of these widths from left to right, in as many rows as needed.
std::vector<Rect> lay_out_rows(const std::vector<float>& widths, glm::vec2 start, float width) {
    const float gap = std::round(theme().px(piece_gap));
    std::vector<Rect> places;
    glm::vec2 at = start;
    for (const float piece_width : widths) {
        if (at.x > start.x && at.x + piece_width > start.x + width)
            at = {start.x, at.y + piece_height() + gap};
        places.push_back({at, at + glm::vec2(piece_width, piece_height())});
        at.x += piece_width + gap;
    }
    return places;
}

struct SequenceLayout {
    std::vector<Rect> pieces, add_buttons;
    float bottom = 0;
};
SequenceLayout lay_out_sequence(const std::vector<Option>& options, const std::vector<std::uint32_t>& order,
                                glm::vec2 start, float width) {
    const float gap = std::round(theme().px(piece_gap));
    std::vector<float> pieces, add_buttons;
    for (const std::uint32_t one : order)
        pieces.push_back(piece_width(options[one]));
    for (const Option& option : options)
        add_buttons.push_back(button_size("+ " + option.label, add_button).x);
    SequenceLayout layout;
    layout.pieces = lay_out_rows(pieces, start, width);
    // The row keeps its height if it is empty.
    const float below = layout.pieces.empty() ? start.y + piece_height() : layout.pieces.back().max.y;
    layout.add_buttons = lay_out_rows(add_buttons, {start.x, below + gap}, width);
    layout.bottom = layout.add_buttons.back().max.y;
    return layout;
}

/// Returns the new index of a dragged piece: that of the piece whose middle the mouse has passed.
std::size_t drag_target(std::size_t place, const std::vector<Rect>& pieces, glm::vec2 mouse) {
    for (std::size_t other = 0; other < pieces.size(); ++other)
        if (other != place && pieces[other].contains(mouse) &&
            (mouse.x > pieces[other].centre().x) == (other > place))
            return other;
    return place;
}

/// Returns the new index of the focused piece after Ctrl or Alt with an arrow key.
std::size_t key_target(std::size_t place, std::size_t last) {
    const auto pressed = [](Key key) {
        return is_key_pressed_with(key, {.ctrl = true}, true) ||
               is_key_pressed_with(key, {.alt = true}, true);
    };
    if (place > 0 && pressed(Key::left)) return place - 1;
    if (place < last && pressed(Key::right)) return place + 1;
    return place;
}

/// Draws a piece and its × button. Returns true if it is to be removed.
bool draw_piece(const std::string& id, const Option& option, const Rect& rect, const Item& item) {
    const Theme& t = theme();
    const Rect remove{{rect.max.x - std::round(t.px(remove_width)), rect.min.y}, rect.max};
    register_widget(id + ".remove", "button", remove.min, remove.max, "×");
    const Item remove_item = interact(make_widget_id(id + ".remove"), remove, remove);
    if (item.is_visible) {
        const ControlColors colors = button_colors({.is_small = true}, item);
        draw_control_background(rect, colors, t.px(6));
        ImDrawList* const list = ImGui::GetWindowDrawList();
        const float top = rect.min.y + std::floor((rect.height() - t.line_height(TextStyle::note)) / 2);
        draw_text(list, TextStyle::note, {rect.min.x + std::round(t.px(piece_padding)), top}, colors.text,
                  option.label);
        const float cross = text_size(TextStyle::note, "×").x;
        draw_text(list, TextStyle::note, {remove.centre().x - std::round(cross / 2), top},
                  remove_item.is_hovered ? colors.text : secondary_text_color(colors), "×");
        if (item.is_focused) draw_focus_ring(rect, t.px(6));
        if (remove_item.is_focused) draw_focus_ring(remove, t.px(6));
    }
    show_delayed_tooltip(item, make_widget_id(id), option.hint);
    show_delayed_tooltip(remove_item, make_widget_id(id + ".remove"), tr("Remove"));
    const bool deleted =
        item.is_focused && (is_plain_key_pressed(Key::del) || is_plain_key_pressed(Key::backspace));
    return remove_item.was_clicked || deleted;
}

}  // namespace

float sequence_height(const std::vector<Option>& options, const std::vector<std::uint32_t>& order,
                      float width) {
    return lay_out_sequence(options, order, {0, 0}, width).bottom;
}

bool sequence(std::string_view id, const std::vector<Option>& options, std::vector<std::uint32_t>* order) {
    const glm::vec2 start = cursor();
    const SequenceLayout layout = lay_out_sequence(options, *order, start, content_width());
    register_widget(id, "sequence", start, {start.x + content_width(), layout.bottom},
                    tr("{} steps", order->size()));
    std::vector<std::uint32_t> changed = *order;
    std::vector<std::size_t> occurrences(options.size(), 0);
    std::vector<std::string> ids;
    for (const std::uint32_t one : *order)
        ids.push_back(fmt::format("{}.{}.{}", id, options[one].label, ++occurrences[one]));
    for (std::size_t place = 0; place < ids.size(); ++place) {
        const Rect& rect = layout.pieces[place];
        register_widget(ids[place], "step", rect.min, rect.max, fmt::format("{}", place + 1));
        const Rect handle{rect.min, {rect.max.x - std::round(theme().px(remove_width)), rect.max.y}};
        const Item item = interact(make_widget_id(ids[place]), rect, handle,
                                   {.takes_arrows = true, .ring_after_click = true});
        std::size_t to = place;
        if (item.is_held) {
            to = drag_target(place, layout.pieces, ImGui::GetIO().MousePos);
        } else if (item.is_focused) {
            to = key_target(place, ids.size() - 1);
            // Without a modifier, arrow keys move the focus.
            if (place > 0 && is_plain_key_pressed(Key::left, true)) focus_widget(ids[place - 1]);
            if (place + 1 < ids.size() && is_plain_key_pressed(Key::right, true))
                focus_widget(ids[place + 1]);
        }
        const bool is_removed = draw_piece(ids[place], options[(*order)[place]], rect, item);
        if (changed != *order || (!is_removed && to == place)) continue;
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(place));
        if (!is_removed) changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(to), (*order)[place]);
    }
    for (std::size_t i = 0; i < options.size(); ++i) {
        set_cursor(layout.add_buttons[i].min);
        ButtonOptions add = add_button;
        add.tooltip = options[i].hint;
        if (button(fmt::format("{}.add.{}", id, options[i].label), "+ " + options[i].label, add) &&
            changed == *order)
            changed.push_back(static_cast<std::uint32_t>(i));
    }
    set_cursor({start.x, layout.bottom});
    ImGui::Dummy({0, 0});
    return std::exchange(*order, changed) != changed;
}

}  // namespace gridstride::ui
