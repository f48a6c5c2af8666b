// The player steps through the rows by buttons, keys and a seek bar; below it is the legend.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "ui/inside/inside_parts.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr double steps_per_second = 2;
struct PlayerSpeed {
    double factor;
    const char* label;
};
constexpr std::array<PlayerSpeed, 5> player_speeds{
    {{0.25, "¼×"}, {0.5, "½×"}, {1, "1×"}, {2, "2×"}, {4, "4×"}}};

std::size_t last_step(const InsideView& view) {
    return std::max<std::size_t>(1, view.shown->lanes.rows().size()) - 1;
}

void step_by(InsideView& view, std::ptrdiff_t by) {
    view.is_playing = false;
    const auto target_step = static_cast<std::ptrdiff_t>(view.step) + by;
    view.go_to_step(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, target_step)));
}

void toggle_playing(InsideView& view) {
    view.is_playing = !view.is_playing;
    if (!view.is_playing) return;
    if (view.step == last_step(view)) view.go_to_step(0);
    view.next_step_time = ImGui::GetTime() + 1 / (steps_per_second * player_speeds[view.speed].factor);
}

void advance_playback(InsideView& view) {
    if (!view.is_playing) return;
    const double now = ImGui::GetTime();
    const double each = 1 / (steps_per_second * player_speeds[view.speed].factor);
    if (now >= view.next_step_time) {
        view.go_to_step(view.step + 1);
        // A window that was not drawn for a while skips the steps that it missed.
        view.next_step_time = std::max(view.next_step_time + each, now);
        if (view.step == last_step(view)) view.is_playing = false;
    }
    if (view.is_playing) request_redraw_within(std::max(0.0, view.next_step_time - now));
}

void draw_seek_bar(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    const std::size_t last = last_step(view);
    const float radius = std::round(t.px(7)), half = t.px(2);
    const float from = area.min.x + radius, to = std::max(from + 1, area.max.x - radius);
    if (const auto requested_step = take_requested_value("inside.seek"))
        if (const auto number = parse_number<std::size_t>(*requested_step); number && *number > 0)
            view.go_to_step(*number - 1);
    const Item item = interact("inside.seek", {"slider", std::to_string(view.step + 1)}, area,
                               {.takes_arrows = true, .ring_after_click = true});
    if (item.is_held && last > 0) {
        const float part = std::clamp((ImGui::GetIO().MousePos.x - from) / (to - from), 0.0F, 1.0F);
        const auto target_step = static_cast<std::size_t>(std::lround(part * static_cast<float>(last)));
        view.is_playing = false;
        if (target_step != view.step) view.go_to_step(target_step);
    }
    if (item.is_focused) step_by_inside_keys(view);
    const float part = last > 0 ? static_cast<float>(view.step) / static_cast<float>(last) : 0;
    const glm::vec2 knob(std::round(from + part * (to - from)), std::round(area.centre().y));
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({area.min.x, knob.y - half}, {area.max.x, knob.y + half}, t.palette().line, half);
    list->AddRectFilled({area.min.x, knob.y - half}, {knob.x, knob.y + half}, t.palette().upload, half);
    draw_knob(knob, radius, item);
}

void draw_legend(const InsideView& view, glm::vec2 at, float right) {
    const Theme& t = theme();
    struct Entry {
        AccessMark mark;
        const char* words;
    };
    const Entry entries[] = {{AccessMark::read, tr("reads")},
                             {AccessMark::write, tr("writes")},
                             {AccessMark::atomic, tr("atomic")},
                             {AccessMark::race, tr("✗ takes part in a race")},
                             {AccessMark::idle, tr("idle")}};
    const auto& sites = view.shown->trace().sites;
    const bool atomics = std::ranges::count(sites, trace::SiteKind::atomic, &trace::Site::kind) > 0;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float square = std::round(t.px(9)), line = t.line_height(TextStyle::note);
    const auto place = [&](const char* words) {
        const float width = square + t.px(5) + text_size(TextStyle::note, words).x;
        return at.x + width <= right;
    };
    const auto advance = [&](const char* words) {
        draw_text(list, TextStyle::note, {at.x + square + t.px(5), at.y}, t.palette().quiet, words);
        at.x += square + t.px(5) + text_size(TextStyle::note, words).x + t.px(14);
    };
    for (const Entry& entry : entries) {
        if ((entry.mark == AccessMark::atomic && !atomics) || !place(entry.words)) continue;
        const float top = std::round(at.y + (line - square) / 2);
        list->AddRectFilled({at.x, top}, {at.x + square, top + square}, mark_color(entry.mark), 1);
        if (entry.mark == AccessMark::idle)
            list->AddRect({at.x, top}, {at.x + square, top + square}, t.palette().line, 1);
        advance(entry.words);
    }
    if (!place(tr("barrier"))) return;
    const float middle = std::round(at.y + line / 2);
    list->AddRectFilled({at.x, middle - 1}, {at.x + square, middle + 1}, t.palette().quiet);
    advance(tr("barrier"));
}

}  // namespace

void step_by_inside_keys(InsideView& view) {
    if (is_plain_key_pressed(Key::right, true) || is_plain_key_pressed(Key::down, true)) step_by(view, 1);
    if (is_plain_key_pressed(Key::left, true) || is_plain_key_pressed(Key::up, true)) step_by(view, -1);
    if (is_plain_key_pressed(Key::home)) step_by(view, -static_cast<std::ptrdiff_t>(view.step));
    if (is_plain_key_pressed(Key::end))
        step_by(view, static_cast<std::ptrdiff_t>(last_step(view) - view.step));
    if (is_plain_key_pressed(Key::space)) toggle_playing(view);
}

float inside_player_height() {
    const Theme& t = theme();
    return button_size(tr("Play")).y + t.px(6) + t.line_height(TextStyle::note);
}

void draw_inside_player(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    advance_playback(view);
    const std::size_t last = last_step(view);
    glm::vec2 at = area.min;
    bool pressed = false;
    const auto player_button = [&](const char* id, const char* label, const char* tip, Emphasis emphasis,
                                   bool is_enabled) {
        const ButtonOptions options{.emphasis = emphasis, .is_enabled = is_enabled, .tooltip = tip};
        set_cursor(at);
        at.x += button_size(label, options).x + t.px(6);
        const bool clicked = button(id, label, options);
        pressed = pressed || clicked;
        return clicked;
    };
    if (player_button("inside.first", "|‹", tr("To the first step: Home"), Emphasis::normal, view.step > 0))
        step_by(view, -static_cast<std::ptrdiff_t>(view.step));
    if (player_button("inside.previous", "‹", tr("One step back: Left"), Emphasis::normal, view.step > 0))
        step_by(view, -1);
    if (player_button("inside.play", view.is_playing ? tr("Pause") : tr("Play"), tr("Space"),
                      Emphasis::primary, last > 0))
        toggle_playing(view);
    if (player_button("inside.next", "›", tr("One step forward: Right"), Emphasis::normal, view.step < last))
        step_by(view, 1);
    const PlayerSpeed& speed = player_speeds[view.speed];
    if (player_button("inside.speed", speed.label, tr("Speed"), Emphasis::quiet, true))
        view.speed = (view.speed + 1) % player_speeds.size();
    // The seek bar handles the keys.
    if (pressed) focus_widget("inside.seek");

    const auto& rows = view.shown->lanes.rows();
    const std::string words =
        rows.empty() ? tr("no step")
                     : tr("step {} of {} · epoch {}", view.step + 1, rows.size(), rows[view.step].epoch);
    const float height = button_size(tr("Play")).y;
    const float words_width = text_size(TextStyle::mono, words).x;
    const float right = area.max.x;
    const bool fits = right - words_width - t.px(12) - at.x > t.px(60);
    const float bar_right = fits ? right - words_width - t.px(12) : right;
    draw_seek_bar(view, {{at.x + t.px(2), area.min.y}, {bar_right, area.min.y + height}});
    const float below = area.min.y + height + t.px(6);
    const float y = fits ? std::round(area.min.y + (height - t.line_height(TextStyle::mono)) / 2) : below;
    named_line("inside.where", TextStyle::mono, {right - words_width, y}, t.palette().text, words);
    draw_legend(view, {area.min.x, below}, fits ? right : right - words_width - t.px(12));
}

}  // namespace gridstride::ui
