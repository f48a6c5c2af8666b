// Pan, zoom and fit of a plot.
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
/// Farther out than this there is nothing to see; farther in, neighbouring doubles would show as steps.
constexpr double widest = 20;
constexpr double narrowest = 1e-7;

Range limited(Range range, Range fit) {
    double length = range.length();
    double middle = (range.low + range.high) / 2;
    const double least = std::max(fit.length() * narrowest, std::fabs(middle) * 1e-11);
    length = std::clamp(length, least, std::max(least, fit.length() * widest));
    // Some of the data stays in sight.
    middle = std::clamp(middle, fit.low - length * 0.4, fit.high + length * 0.4);
    return {middle - length / 2, middle + length / 2};
}

Range zoomed(Range range, double around, double factor) {
    return {around + (range.low - around) / factor, around + (range.high - around) / factor};
}

void set_view(PlotView& view, const Navigable& what, Range x, Range y) {
    x = limited(x, what.fit_x);
    y = what.y_fixed ? what.fit_y : limited(y, what.fit_y);
    view.fitted = false;
    view.state->easing = false;
    view.x_min = x.low;
    view.x_max = x.high;
    view.y_min = y.low;
    view.y_max = y.high;
}

bool inside(glm::vec2 point, glm::vec2 min, glm::vec2 max) {
    return point.x >= min.x && point.x < max.x && point.y >= min.y && point.y < max.y;
}

struct Wanted {
    double x_pan = 0, y_pan = 0;  // in lengths of the range
    double zoom = 1;
    bool fit = false;
};

Wanted wanted_by_keys(bool horizontal) {
    Wanted wanted;
    double right = 0, up = 0;
    if (plain_key_pressed(Key::right, true)) right += key_pan;
    if (plain_key_pressed(Key::left, true)) right -= key_pan;
    if (plain_key_pressed(Key::up, true)) up += key_pan;
    if (plain_key_pressed(Key::down, true)) up -= key_pan;
    wanted.x_pan = horizontal ? -up : right;
    wanted.y_pan = horizontal ? right : up;
    if (plain_key_pressed(Key::plus, true)) wanted.zoom *= wheel_zoom;
    if (plain_key_pressed(Key::minus, true)) wanted.zoom /= wheel_zoom;
    wanted.fit = plain_key_pressed(Key::home);
    return wanted;
}

/// Whose the wheel is, over a plot in a panel that scrolls. Who scrolls past a plot does not mean it, though
/// the mouse comes to lie on it; who moves the mouse on it, or clicks, does. `min`: where it stands now.
bool takes_wheel(PlotState& state, glm::vec2 min, bool hovered) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!state.placed || state.stood_at.x != min.x || state.stood_at.y != min.y) {
        state.wants_wheel = false;
        state.mouse_at_scroll = io.MousePos;
    }
    state.placed = true;
    state.stood_at = min;
    if (!hovered) return false;
    if (io.KeyCtrl || !wheel_scrolls_window()) return true;
    // A hand that turns the wheel moves the mouse by a pixel or two.
    const glm::vec2 moved(io.MousePos.x - state.mouse_at_scroll.x, io.MousePos.y - state.mouse_at_scroll.y);
    if (std::max(std::fabs(moved.x), std::fabs(moved.y)) > theme().px(4) || state.held)
        state.wants_wheel = true;
    // At the end of its way the panel stands still, and a wheel that turns on still means the panel.
    else if (io.MouseWheel != 0 && !state.wants_wheel)
        state.mouse_at_scroll = io.MousePos;
    // ImGui asks in the frame before: else the wheel would do both.
    const bool owned = state.owns_wheel;
    return state.wants_wheel && (owned || io.MouseWheel == 0);
}

}  // namespace

void fit(PlotView& view) {
    view.state->easing = !view.fitted;
    view.fitted = true;
}

Navigation navigate(std::string_view id, const Plot& plot, PlotView& view, const Navigable& what,
                    glm::vec2 min, glm::vec2 max) {
    Navigation done;
    PlotState& state = *view.state;
    const PlotArea& area = what.area;
    const glm::vec2 size(std::max(1.0f, max.x - min.x), std::max(1.0f, max.y - min.y));
    const Rect whole{min, glm::vec2(std::max(max.x, min.x + 1), std::max(max.y, min.y + 1))};
    const ImGuiID item = id_of(id);
    const Item self = interact(item, whole, whole, {.takes_arrows = true});
    const ImGuiIO& io = ImGui::GetIO();
    const bool hovered = self.hovered, was_held = state.held;
    if (hovered && !self.held && active_item() == 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        take_mouse(item, ImGuiMouseButton_Right);
    }
    done.clicked = self.clicked && !(was_held && (state.boxing || state.dragged));
    const bool active = active_item() == item;
    state.held = active;
    const bool in_data = inside(io.MousePos, area.min, area.max);
    done.hovered = hovered && in_data && !(active && state.dragged);
    // Beside the data, on the labels of an axis, only that axis moves.
    const bool on_left = io.MousePos.x < area.min.x, on_bottom = io.MousePos.y >= area.max.y;
    const bool x_moves = in_data || (area.horizontal ? on_left : on_bottom);
    const bool y_moves = !what.y_fixed && (in_data || (area.horizontal ? on_bottom : on_left));
    Range x = area.x, y = area.y;

    if (active && !was_held) {
        state.press = io.MousePos;
        state.dragged = false;
        state.boxing = active_button() == ImGuiMouseButton_Right;
    }
    const glm::vec2 moved(io.MousePos.x - state.press.x, io.MousePos.y - state.press.y);
    if (active && std::max(std::fabs(moved.x), std::fabs(moved.y)) > io.MouseDragThreshold)
        state.dragged = true;

    if (active && state.dragged && !state.boxing && !what.fixed &&
        (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        const glm::vec2 before(io.MousePos.x - io.MouseDelta.x, io.MousePos.y - io.MouseDelta.y);
        const double dx = area.x_under(before) - area.x_under(io.MousePos);
        const double dy = what.y_fixed ? 0 : area.y_under(before) - area.y_under(io.MousePos);
        x = {x.low + dx, x.high + dx};
        y = {y.low + dy, y.high + dy};
        done.changed = true;
    }
    const bool wheel = !what.fixed && takes_wheel(state, min, hovered) && (x_moves || y_moves);
    state.owns_wheel = wheel;
    if (wheel) {
        take_wheel(active);
        if (io.MouseWheel != 0) {
            const double factor = std::pow(wheel_zoom, static_cast<double>(io.MouseWheel));
            if (x_moves) x = zoomed(x, area.x_under(io.MousePos), factor);
            if (y_moves && !(in_data && what.wheel_along_x)) y = zoomed(y, area.y_under(io.MousePos), factor);
            done.changed = true;
        }
    }
    const bool right_released = was_held && !active && state.boxing;
    if (right_released && state.dragged && !what.fixed) {
        const float least = theme().px(8);  // a flat box zooms along one axis
        const double x0 = area.x_under(state.press), x1 = area.x_under(io.MousePos);
        const double y0 = area.y_under(state.press), y1 = area.y_under(io.MousePos);
        const bool wide = std::fabs(moved.x) >= least, high = std::fabs(moved.y) >= least;
        if (area.horizontal ? high : wide) x = {std::min(x0, x1), std::max(x0, x1)}, done.changed = true;
        if (!what.y_fixed && (area.horizontal ? wide : high))
            y = {std::min(y0, y1), std::max(y0, y1)}, done.changed = true;
    }
    if (!active) state.boxing = false;

    done.focused = self.focused;
    Wanted wanted;
    if (self.focused && !what.fixed) {
        wanted = wanted_by_keys(area.horizontal);
        if (wanted.x_pan != 0 || (wanted.y_pan != 0 && !what.y_fixed) || wanted.zoom != 1) {
            const double dx = wanted.x_pan * x.length(), dy = wanted.y_pan * y.length();
            x = zoomed({x.low + dx, x.high + dx}, (x.low + x.high) / 2 + dx, wanted.zoom);
            y = zoomed({y.low + dy, y.high + dy}, (y.low + y.high) / 2 + dy, wanted.zoom);
            done.changed = true;
        }
    }
    if (done.changed) set_view(view, what, x, y);
    if (wanted.fit || (hovered && !what.fixed && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))) {
        fit(view);
        done.changed = true;
    }
    const bool by_key = (self.focused || hovered) && key_pressed_with(Key::f10, {.shift = true});
    const bool by_mouse = right_released && !state.dragged && hovered;
    const PlotMenu menu{by_key     ? MenuOpens::by_key
                        : by_mouse ? MenuOpens::by_mouse
                                   : MenuOpens::not_now,
                        !what.fixed, min};
    if (draw_plot_menu(std::string(id), view, menu, [&plot] { return plot_csv(plot); })) done.changed = true;
    return done;
}

void settle_ranges(PlotView& view, Range fit_x, Range fit_y, Range* x, Range* y) {
    PlotState& state = *view.state;
    if (!view.fitted) {
        *x = widened({view.x_min, view.x_max}, false);
        *y = widened({view.y_min, view.y_max}, false);
    } else if (!state.easing || !state.drawn) {
        *x = fit_x;
        *y = fit_y;
        state.easing = false;
    } else {
        const double step = 1 - std::exp(-static_cast<double>(ImGui::GetIO().DeltaTime) * 16);
        const auto ease = [step](Range from, Range to) {
            const Range now{from.low + (to.low - from.low) * step, from.high + (to.high - from.high) * step};
            const double off = std::max(std::fabs(now.low - to.low), std::fabs(now.high - to.high));
            return off < to.length() * 2e-3 ? to : now;
        };
        *x = ease(state.x, fit_x);
        *y = ease(state.y, fit_y);
        state.easing = *x != fit_x || *y != fit_y;
        if (state.easing) request_redraw_within(0);
    }
}

void draw_zoom_box(ImDrawList* list, const PlotView& view, const PlotArea& area, bool y_fixed) {
    const PlotState& state = *view.state;
    if (!state.boxing || !state.dragged) return;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    glm::vec2 low(std::min(mouse.x, state.press.x), std::min(mouse.y, state.press.y));
    glm::vec2 high(std::max(mouse.x, state.press.x), std::max(mouse.y, state.press.y));
    const float least = theme().px(8);
    if (high.x - low.x < least) low.x = area.min.x, high.x = area.max.x;
    if (high.y - low.y < least || y_fixed) low.y = area.min.y, high.y = area.max.y;
    list->AddRectFilled(low, high, with_alpha(theme().palette().action, 0.15f));
    list->AddRect(low, high, theme().palette().action, 0, 0, std::max(1.0f, theme().scale()));
}

}  // namespace gridstride::ui
