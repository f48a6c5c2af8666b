// Pan, zoom, fit and the context menu of a plot.
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

Range moved_by(Range range, double distance) {
    return {range.low + distance, range.high + distance};
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

struct Wanted {
    double x_pan = 0, y_pan = 0;  // in lengths of the range
    double zoom = 1;
    bool fit = false;
};

Wanted wanted_by_keys(bool horizontal) {
    const auto one_of = [](Key more, Key less) {
        return (plain_key_pressed(more, true) ? 1.0 : 0.0) - (plain_key_pressed(less, true) ? 1.0 : 0.0);
    };
    const double right = key_pan * one_of(Key::right, Key::left), up = key_pan * one_of(Key::up, Key::down);
    return {.x_pan = horizontal ? -up : right,
            .y_pan = horizontal ? right : up,
            .zoom = std::pow(wheel_zoom, one_of(Key::plus, Key::minus)),
            .fit = plain_key_pressed(Key::home)};
}

/// Whose the wheel is, over a plot in a panel that scrolls. Who scrolls past a plot does not mean it, though
/// the mouse comes to lie on it; who moves the mouse on it, or clicks, does. `min`: where it stands now.
bool takes_wheel(PlotState& state, glm::vec2 min, bool hovered) {
    const ImGuiIO& io = ImGui::GetIO();
    if (state.stood_at != min) {
        state.wants_wheel = false;
        state.mouse_at_scroll = io.MousePos;
    }
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

bool draw_plot_menu(const std::string& id, PlotView& view, const PlotMenu& menu,
                    const std::function<std::string()>& csv) {
    PlotState& state = *view.state;
    if (menu.opens != MenuOpens::not_now) {
        ImGui::OpenPopup("menu");
        state.menu_by_key = menu.opens == MenuOpens::by_key;
        // Where the mouse is or, by keyboard, at the plot's corner.
        if (state.menu_by_key) {
            ImGui::SetNextWindowPos(menu.corner + theme().px(16));
            focus_widget(id + (menu.fits && !view.fitted ? ".menu.fit" : ".menu.copy"));
        }
    }
    if (!ImGui::BeginPopup("menu")) return false;
    bool fitted = false, chosen = false;
    const auto item = [&](const char* name, const char* label, bool enabled = true) {
        const bool pressed =
            button(id + ".menu." + name, label, {.emphasis = Emphasis::quiet, .enabled = enabled});
        chosen = chosen || pressed;
        return pressed;
    };
    if (menu.fits && item("fit", "Fit", !view.fitted)) {
        fit(view);
        fitted = true;
    }
    if (item("copy", "Copy values")) ImGui::SetClipboardText(csv().c_str());
    if (item("csv", "Save values as CSV\u2026")) state.chosen = PlotFile::csv;
    if (item("png", "Save picture as PNG\u2026")) state.chosen = PlotFile::png;
    if (chosen || key_pressed(Key::escape)) {
        ImGui::CloseCurrentPopup();
        if (state.menu_by_key) focus_widget(id);
    }
    ImGui::EndPopup();
    return fitted;
}

Navigation navigate(std::string_view id, const Plot& plot, PlotView& view, const Navigable& what,
                    glm::vec2 min, glm::vec2 max) {
    Navigation done;
    PlotState& state = *view.state;
    const PlotArea& area = what.area;
    const Rect whole{min, glm::max(max, min + 1.0f)};
    const ImGuiID item = id_of(id);
    const Item self = interact(item, whole, whole, {.takes_arrows = true});
    const ImGuiIO& io = ImGui::GetIO();
    const bool hovered = self.hovered, was_held = state.held;
    if (hovered && !self.held && active_item() == 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
        take_mouse(item, ImGuiMouseButton_Right);
    done.clicked = self.clicked && !(was_held && (state.boxing || state.dragged));
    const bool active = active_item() == item;
    state.held = active;
    const bool in_data = area.contains(io.MousePos);
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
    const glm::vec2 moved = glm::vec2(io.MousePos) - state.press;
    if (active && std::max(std::fabs(moved.x), std::fabs(moved.y)) > io.MouseDragThreshold)
        state.dragged = true;

    if (active && state.dragged && !state.boxing && !what.fixed &&
        (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        const glm::vec2 before = glm::vec2(io.MousePos) - glm::vec2(io.MouseDelta);
        const double dx = area.x_under(before) - area.x_under(io.MousePos);
        const double dy = what.y_fixed ? 0 : area.y_under(before) - area.y_under(io.MousePos);
        x = moved_by(x, dx);
        y = moved_by(y, dy);
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
        const auto [left, right] = std::minmax({area.x_under(state.press), area.x_under(io.MousePos)});
        const auto [low, top] = std::minmax({area.y_under(state.press), area.y_under(io.MousePos)});
        const bool wide = std::fabs(moved.x) >= least, high = std::fabs(moved.y) >= least;
        if (area.horizontal ? high : wide) x = {left, right}, done.changed = true;
        if (!what.y_fixed && (area.horizontal ? wide : high)) y = {low, top}, done.changed = true;
    }
    if (!active) state.boxing = false;

    done.focused = self.focused;
    Wanted wanted;
    if (self.focused && !what.fixed) {
        wanted = wanted_by_keys(area.horizontal);
        if (wanted.x_pan != 0 || (wanted.y_pan != 0 && !what.y_fixed) || wanted.zoom != 1) {
            x = moved_by(x, wanted.x_pan * x.length());
            y = moved_by(y, wanted.y_pan * y.length());
            x = zoomed(x, (x.low + x.high) / 2, wanted.zoom);
            y = zoomed(y, (y.low + y.high) / 2, wanted.zoom);
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
    state.x = *x;
    state.y = *y;
    state.drawn = true;
}

void draw_zoom_box(ImDrawList* list, const PlotView& view, const PlotArea& area, bool y_fixed) {
    const PlotState& state = *view.state;
    if (!state.boxing || !state.dragged) return;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    glm::vec2 low = glm::min(mouse, state.press), high = glm::max(mouse, state.press);
    const float least = theme().px(8);
    if (high.x - low.x < least) low.x = area.min.x, high.x = area.max.x;
    if (high.y - low.y < least || y_fixed) low.y = area.min.y, high.y = area.max.y;
    list->AddRectFilled(low, high, with_alpha(theme().palette().action, 0.15f));
    list->AddRect(low, high, theme().palette().action, 0, 0, std::max(1.0f, theme().scale()));
}

}  // namespace gridstride::ui
