#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr double wheel_zoom = 1.2;
constexpr double key_pan = 0.1;
/// How far the view may extend beyond the data at either end, as a fraction of their extent.
constexpr double overscroll_fraction = 0.5;
/// The smallest visible fraction; below it, adjacent doubles would appear as steps.
constexpr double min_zoom_fraction = 1e-7;

Range limit_range(Range range, Range fit, double min_length) {
    double length = range.length();
    double middle = (range.low + range.high) / 2;
    min_length = std::max(
        {std::min(min_length, fit.length()), fit.length() * min_zoom_fraction, std::fabs(middle) * 1e-11});
    const double room = fit.length() * overscroll_fraction;
    length = std::clamp(length, min_length, std::max(min_length, fit.length() + 2 * room));
    const double low = fit.low - room + length / 2, high = fit.high + room - length / 2;
    middle = std::clamp(middle, std::min(low, high), std::max(low, high));
    return {middle - length / 2, middle + length / 2};
}

Range shift_range(Range range, double distance) {
    return {range.low + distance, range.high + distance};
}

Range zoom_range(Range range, double around, double factor) {
    return {around + (range.low - around) / factor, around + (range.high - around) / factor};
}

Range target_x(const PlotView& view, const NavigationLimits& what) {
    return view.is_fitted ? what.fit_x : Range{view.x_min, view.x_max};
}
Range target_y(const PlotView& view, const NavigationLimits& what) {
    return view.is_fitted ? what.fit_y : Range{view.y_min, view.y_max};
}

/// Maps `at` from the range `here` to the same fraction of the range `there`.
double map_position(double at, Range here, Range there) {
    return there.low + (at - here.low) / here.length() * there.length();
}

/// `is_animated`: the view moves in several frames; else at once, as while dragging.
void set_view(PlotView& view, const NavigationLimits& what, Range x, Range y, bool is_animated) {
    x = limit_range(x, what.fit_x, what.min_span_x);
    y = what.is_y_fixed ? what.fit_y : limit_range(y, what.fit_y, 0);
    view.is_fitted = false;
    view.state->is_animating = is_animated;
    view.x_min = x.low;
    view.x_max = x.high;
    view.y_min = y.low;
    view.y_max = y.high;
}

struct KeyCommand {
    double x_pan = 0, y_pan = 0;  // in lengths of the range
    double zoom = 1;
    bool fit = false;
};

KeyCommand read_key_command(bool is_horizontal) {
    const auto one_of = [](Key more, Key less) {
        return (is_plain_key_pressed(more, true) ? 1.0 : 0.0) -
               (is_plain_key_pressed(less, true) ? 1.0 : 0.0);
    };
    const double right = key_pan * one_of(Key::right, Key::left), up = key_pan * one_of(Key::up, Key::down);
    return {.x_pan = is_horizontal ? -up : right,
            .y_pan = is_horizontal ? right : up,
            .zoom = std::pow(wheel_zoom, one_of(Key::plus, Key::minus)),
            .fit = is_plain_key_pressed(Key::home)};
}

/// Returns true if the wheel zooms this plot. While a reader scrolls the panel, the wheel keeps scrolling
/// although a plot comes to lie under the mouse. `min`: the plot's current position.
bool update_wheel_ownership(PlotState& state, glm::vec2 min, const Item& self) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool scrolled = state.last_position && state.last_position != min;
    if (scrolled || (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !self.is_hovered))
        state.is_wheel_enabled = false;
    state.last_position = min;
    if (self.is_hovered && state.is_held) state.is_wheel_enabled = true;
    if (!self.is_hovered) return false;
    if (io.KeyCtrl) return true;
    // ImGui decides in the previous frame; otherwise the wheel would both zoom and scroll.
    const bool owned = state.owns_wheel;
    return (state.is_wheel_enabled || self.is_focused) && (owned || io.MouseWheel == 0);
}

/// At the upper right corner of the data.
std::optional<Item> fit_button(const std::string& id, const PlotArea& area) {
    const Theme& t = theme();
    const glm::vec2 size(text_size(TextStyle::note, tr("Fit")).x + t.px(16),
                         t.line_height(TextStyle::note) + t.px(4));
    if (area.width() < 2 * size.x || area.height() < 2 * size.y) return std::nullopt;
    const glm::vec2 corner(area.max.x - t.px(4), area.min.y + t.px(4));
    const Rect rect{glm::floor(glm::vec2(corner.x - size.x, corner.y)),
                    glm::vec2(corner.x, corner.y + size.y)};
    const Item item = interact(id, {"button", tr("Fit")}, rect);
    show_delayed_tooltip(item, make_widget_id(id), tr("Show all again (Home, or a double click)"));
    return item;
}

}  // namespace

void fit(PlotView& view) {
    view.state->is_animating = !view.is_fitted;
    view.is_fitted = true;
}

void draw_fit_button(ImDrawList* list, const Navigation& navigation) {
    if (!navigation.fit) return;
    const Theme& t = theme();
    const Item& button = *navigation.fit;
    const float lift = button.is_hovered ? 0.2F : 0.0F;
    list->AddRectFilled(button.rect.min, button.rect.max, mix(t.palette().raised, t.palette().text, lift),
                        t.px(6));
    list->AddRect(button.rect.min, button.rect.max, t.palette().line, t.px(6));
    if (button.is_focused) draw_focus_ring(button.rect, t.px(6));
    draw_text(list, TextStyle::note, button.rect.min + glm::vec2(t.px(8), t.px(2)), t.palette().text,
              tr("Fit"));
}

ReadoutLine wheel_hint(const PlotState& state) {
    return {.label = state.owns_wheel ? tr("The wheel zooms.")
                                      : tr("Zoom with Ctrl and the wheel, or click first."),
            .value = {},
            .hint = true};
}

bool draw_plot_menu(const std::string& id, PlotView& view, const PlotMenu& menu,
                    const std::function<std::string()>& csv) {
    PlotState& state = *view.state;
    if (menu.opens != MenuTrigger::none) {
        ImGui::OpenPopup("menu");
        state.menu_by_key = menu.opens == MenuTrigger::by_key;
        // At the mouse or, if opened by keyboard, at the plot's corner.
        if (state.menu_by_key) {
            ImGui::SetNextWindowPos(menu.corner + theme().px(16));
            focus_widget(id + (menu.fits && !view.is_fitted ? ".menu.fit" : ".menu.copy"));
        }
    }
    if (!ImGui::BeginPopup("menu")) return false;
    bool fitted = false, chosen = false;
    const auto item = [&](const char* name, const char* label, bool is_enabled = true) {
        const bool pressed =
            button(id + ".menu." + name, label, {.emphasis = Emphasis::quiet, .is_enabled = is_enabled});
        chosen = chosen || pressed;
        return pressed;
    };
    if (menu.fits && item("fit", tr("Fit"), !view.is_fitted)) {
        fit(view);
        fitted = true;
    }
    if (item("copy", tr("Copy values"))) ImGui::SetClipboardText(csv().c_str());
    if (item("csv", tr("Save values as CSV\u2026"))) state.chosen = PlotFile::csv;
    if (item("png", tr("Save picture as PNG\u2026"))) state.chosen = PlotFile::png;
    if (chosen || is_key_pressed(Key::escape)) {
        ImGui::CloseCurrentPopup();
        if (state.menu_by_key) focus_widget(id);
    }
    ImGui::EndPopup();
    return fitted;
}

Navigation navigate(std::string_view id, const Plot& plot, PlotView& view, const NavigationLimits& what,
                    glm::vec2 min, glm::vec2 max) {
    Navigation result;
    PlotState& state = *view.state;
    const PlotArea& area = what.area;
    const Rect whole{min, glm::max(max, min + 1.0f)};
    const ImGuiID item = make_widget_id(id);
    // Before the plot itself, which would otherwise take the mouse.
    if (!view.is_fitted && !what.is_fixed && !view.is_static_image)
        result.fit = fit_button(std::string(id) + ".fit", area);
    const Item self = interact(item, whole, whole, {.takes_arrows = true});
    const ImGuiIO& io = ImGui::GetIO();
    const bool hovered = self.is_hovered, was_held = state.is_held;
    if (hovered && !self.is_held && active_item() == 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
        capture_mouse(item, ImGuiMouseButton_Right);
    result.was_clicked = self.was_clicked && !(was_held && (state.is_box_zooming || state.is_dragged));
    const bool active = active_item() == item;
    state.is_held = active;
    const bool in_data = area.contains(io.MousePos);
    result.over = hovered && !(active && state.is_dragged);
    result.is_hovered = result.over && in_data;
    // Over the labels of an axis, only that axis moves.
    const bool on_left = io.MousePos.x < area.min.x, on_bottom = io.MousePos.y >= area.max.y;
    const bool x_moves = in_data || (area.is_horizontal ? on_left : on_bottom);
    const bool y_moves = !what.is_y_fixed && (in_data || (area.is_horizontal ? on_bottom : on_left));
    Range x = target_x(view, what), y = target_y(view, what);
    bool animated = true;

    if (active && !was_held) {
        state.press_position = io.MousePos;
        state.is_dragged = false;
        state.is_box_zooming = active_button() == ImGuiMouseButton_Right;
    }
    const glm::vec2 drag = glm::vec2(io.MousePos) - state.press_position;
    if (active && std::max(std::fabs(drag.x), std::fabs(drag.y)) > io.MouseDragThreshold)
        state.is_dragged = true;

    if (active && state.is_dragged && !state.is_box_zooming && !what.is_fixed &&
        (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        const glm::vec2 before = glm::vec2(io.MousePos) - glm::vec2(io.MouseDelta);
        const double dx = area.x_under(before) - area.x_under(io.MousePos);
        const double dy = what.is_y_fixed ? 0 : area.y_under(before) - area.y_under(io.MousePos);
        x = shift_range(area.x, dx);
        y = shift_range(area.y, dy);
        animated = false;
        result.has_changed = true;
    }
    const bool wheel = !what.is_fixed && update_wheel_ownership(state, min, self) && (x_moves || y_moves);
    state.owns_wheel = wheel;
    if (wheel) {
        capture_wheel(active);
        if (io.MouseWheel != 0) {
            const double factor = std::pow(wheel_zoom, static_cast<double>(io.MouseWheel));
            if (x_moves) x = zoom_range(x, map_position(area.x_under(io.MousePos), area.x, x), factor);
            if (y_moves && !(in_data && what.wheel_along_x))
                y = zoom_range(y, map_position(area.y_under(io.MousePos), area.y, y), factor);
            result.has_changed = true;
        }
    }
    const bool right_released = was_held && !active && state.is_box_zooming;
    if (right_released && state.is_dragged && !what.is_fixed) {
        const float min_drag = theme().px(8);  // a flat box zooms along one axis only
        const auto [left, right] =
            std::minmax({area.x_under(state.press_position), area.x_under(io.MousePos)});
        const auto [low, top] = std::minmax({area.y_under(state.press_position), area.y_under(io.MousePos)});
        const bool wide = std::fabs(drag.x) >= min_drag, high = std::fabs(drag.y) >= min_drag;
        if (area.is_horizontal ? high : wide) x = {left, right}, result.has_changed = true;
        if (!what.is_y_fixed && (area.is_horizontal ? wide : high)) y = {low, top}, result.has_changed = true;
    }
    if (!active) state.is_box_zooming = false;

    result.is_focused = self.is_focused;
    KeyCommand command;
    if (self.is_focused && !what.is_fixed) {
        command = read_key_command(area.is_horizontal);
        if (command.x_pan != 0 || (command.y_pan != 0 && !what.is_y_fixed) || command.zoom != 1) {
            x = shift_range(x, command.x_pan * x.length());
            y = shift_range(y, command.y_pan * y.length());
            x = zoom_range(x, (x.low + x.high) / 2, command.zoom);
            y = zoom_range(y, (y.low + y.high) / 2, command.zoom);
            result.has_changed = true;
        }
    }
    if (result.has_changed) set_view(view, what, x, y, animated);
    if (result.fit && result.fit->was_clicked) command.fit = true;
    if (command.fit || (hovered && !what.is_fixed && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))) {
        fit(view);
        result.has_changed = true;
    }
    const bool by_key = (self.is_focused || hovered) && is_key_pressed_with(Key::f10, {.shift = true});
    const bool by_mouse = right_released && !state.is_dragged && hovered;
    const PlotMenu menu{by_key     ? MenuTrigger::by_key
                        : by_mouse ? MenuTrigger::by_mouse
                                   : MenuTrigger::none,
                        !what.is_fixed, min};
    if (draw_plot_menu(std::string(id), view, menu, [&plot] { return plot_csv(plot); }))
        result.has_changed = true;
    return result;
}

void update_ranges(PlotView& view, Range fit_x, Range fit_y, Range* x, Range* y) {
    PlotState& state = *view.state;
    const Range to_x = view.is_fitted ? fit_x : widen({view.x_min, view.x_max}, false);
    const Range to_y = view.is_fitted ? fit_y : widen({view.y_min, view.y_max}, false);
    if (!state.is_animating || !state.is_drawn || theme().reduces_motion()) {
        *x = to_x;
        *y = to_y;
        state.is_animating = false;
    } else {
        const double step = 1 - std::exp(-static_cast<double>(ImGui::GetIO().DeltaTime) * 16);
        const auto ease = [step](Range from, Range to) {
            const Range now{from.low + (to.low - from.low) * step, from.high + (to.high - from.high) * step};
            const double off = std::max(std::fabs(now.low - to.low), std::fabs(now.high - to.high));
            return off < to.length() * 2e-3 ? to : now;
        };
        *x = ease(state.x, to_x);
        *y = ease(state.y, to_y);
        state.is_animating = *x != to_x || *y != to_y;
        if (state.is_animating) request_redraw_within(0);
    }
    state.x = *x;
    state.y = *y;
    state.is_drawn = true;
}

void draw_zoom_box(ImDrawList* list, const PlotView& view, const PlotArea& area, bool is_y_fixed) {
    const PlotState& state = *view.state;
    if (!state.is_box_zooming || !state.is_dragged) return;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    glm::vec2 low = glm::min(mouse, state.press_position), high = glm::max(mouse, state.press_position);
    const float min_drag = theme().px(8);
    if (high.x - low.x < min_drag) low.x = area.min.x, high.x = area.max.x;
    if (high.y - low.y < min_drag || is_y_fixed) low.y = area.min.y, high.y = area.max.y;
    list->AddRectFilled(low, high, with_alpha(theme().palette().action, 0.15f));
    list->AddRect(low, high, theme().palette().action, 0, 0, std::max(1.0f, theme().scale()));
}

}  // namespace gridstride::ui
