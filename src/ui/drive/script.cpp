#include "ui/drive/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>
#include <utility>

#include "base/elapsed.h"
#include "base/file.h"
#include "base/text.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr double poll_interval_s = 0.1;

const WidgetRect* find_widget(const std::string& id) {
    const auto& widgets = widget_map();
    const auto found = std::ranges::find(widgets, id, &WidgetRect::id);
    return found == widgets.end() ? nullptr : &*found;
}

std::string suggest_ids(const std::string& id) {
    std::set<std::pair<std::size_t, std::string>> ranked;
    for (const WidgetRect& widget : widget_map())
        ranked.emplace(edit_distance(id, widget.id), widget.id);
    if (ranked.empty()) return "there are no widgets";
    return fmt::format("nearest are {}", join(ranked | std::views::values | std::views::take(5), ", "));
}

/// Returns the point of a widget at a fraction of its width. On a slider and on a marker's ruler this is the
/// position of the knob for that value.
glm::vec2 point_at_fraction(const WidgetRect& widget, double fraction) {
    float inset = 0;
    float y = (widget.min.y + widget.max.y) / 2;
    if (widget.kind == "slider" || widget.kind == "mark") {
        inset = std::round(theme().px(8));
        y = widget.max.y - theme().px(10);
    }
    const auto part = static_cast<float>(fraction);
    return {widget.min.x + inset + part * (widget.max.x - widget.min.x - 2 * inset), y};
}

}  // namespace

ScriptPlayer::ScriptPlayer(const std::filesystem::path& file) : steps_(parse_script(read_file(file), file)) {
    record_drawn_texts(std::ranges::find(steps_, StepKind::map, &ScriptStep::kind) != steps_.end());
}

void ScriptPlayer::next(int settling_frames) {
    ++current_;
    phase_ = 0;
    frames_to_skip_ = settling_frames;
    step_start_ = Clock::now();
}

void ScriptPlayer::fail(const std::string& reason) {
    failure_ = steps_[current_].name + ": " + reason;
    is_mouse_down_ = false;
    press_.reset();
}

void ScriptPlayer::retry_or_fail(double timeout_s, const std::string& reason) {
    if (seconds_since(step_start_) > timeout_s)
        fail(reason);
    else
        due_s_ = poll_interval_s;
}

/// Returns the widget if it is visible; else null. Scrolls to a hidden one, and fails after the timeout.
const WidgetRect* ScriptPlayer::find_visible(const std::string& id) {
    const WidgetRect* found = find_widget(id);
    if (found && found->is_visible) return found;
    const bool too_late = seconds_since(step_start_) > find_timeout_s_;
    if (too_late && !found)
        fail(fmt::format("there is no widget \"{}\"; {}", id, suggest_ids(id)));
    else if (too_late)
        fail(fmt::format("\"{}\" cannot be scrolled into view", id));
    else if (found)
        reveal_widget(id);
    else
        due_s_ = poll_interval_s;
    return nullptr;
}

bool ScriptPlayer::move_mouse_to(const std::string& id) {
    const WidgetRect* widget = find_visible(id);
    if (widget) mouse_ = (widget->min + widget->max) / 2.0F;
    return widget != nullptr;
}

void ScriptPlayer::click(const std::string& id) {
    if (phase_ > 1) {
        is_mouse_down_ = false;
        // One frame sees the button released, the next shows the effect.
        next(2);
        return;
    }
    // Checked in two frames: the layout may still move in the first one.
    const std::optional<glm::vec2> before = mouse_;
    if (!move_mouse_to(id)) {
        phase_ = 0;
        return;
    }
    if (phase_ == 1 && mouse_ != before) return;
    is_mouse_down_ = phase_ == 1;
    ++phase_;
}

void ScriptPlayer::set(const ScriptStep& step) {
    const WidgetRect* widget = find_widget(step.text);
    if (phase_ == 0) {
        if (!widget) {
            find_visible(step.text);
            return;
        }
        request_value(step.text, step.value);
        ++phase_;
    } else if (!has_requested_value(step.text)) {
        next(2);
    } else if (++phase_ > 10) {
        take_requested_value(step.text);
        fail(fmt::format("\"{}\" is a {} and has no value to set", step.text,
                         widget ? widget->kind : "widget"));
    }
}

void ScriptPlayer::drag(const ScriptStep& step) {
    if (phase_ == 3) {
        is_mouse_down_ = false;
        next(2);
        return;
    }
    const WidgetRect* widget = find_visible(step.text);
    if (!widget) {
        is_mouse_down_ = false;
        phase_ = 0;
        return;
    }
    // Phases: move to the start, press, drag until the time is over.
    double part = 0;
    if (phase_ == 1) drag_start_ = Clock::now();
    if (phase_ == 2) part = step.seconds > 0 ? std::min(1.0, seconds_since(drag_start_) / step.seconds) : 1.0;
    mouse_ = point_at_fraction(*widget, step.from + part * (step.to - step.from));
    is_mouse_down_ = phase_ > 0;
    if (phase_ < 2 || part >= 1) ++phase_;
}

void ScriptPlayer::advance(const ScriptStep& step, const ScriptHost& host) {
    switch (step.kind) {
        case StepKind::click:
            click(step.text);
            break;
        case StepKind::hover:
            if (move_mouse_to(step.text)) next(2);
            break;
        case StepKind::set:
            set(step);
            break;
        case StepKind::drag:
            drag(step);
            break;
        case StepKind::wheel:
            if (!move_mouse_to(step.text) || phase_++ == 0) break;
            wheel_ = static_cast<float>(step.by);
            next(2);
            break;
        case StepKind::key:
            if (phase_++ == 0) {
                press_ = step.press;
                break;
            }
            press_.reset();
            next(2);
            break;
        case StepKind::type:
            text_ = step.text;
            next(2);
            break;
        case StepKind::drop:
            host.drop(step.text);
            next(2);
            break;
        case StepKind::wait_idle:
            if (host.idle())
                next();
            else
                retry_or_fail(idle_timeout_s_, fmt::format("still busy after {} s", idle_timeout_s_));
            break;
        case StepKind::wait:
            due_s_ = std::max(0.0, step.seconds - seconds_since(step_start_));
            if (due_s_ == 0) next();
            break;
        case StepKind::patience:
            find_timeout_s_ = idle_timeout_s_ = step.seconds;
            next(0);
            break;
        case StepKind::samples:
            host.set_samples(step.samples);
            next(0);
            break;
        case StepKind::expect:
            if (const std::string reason = find_mismatch(step.expected, host.state()); reason.empty())
                next(0);
            else
                retry_or_fail(find_timeout_s_, reason);
            break;
        case StepKind::screenshot:
        case StepKind::map:
        case StepKind::lose:
            try {
                if (step.kind == StepKind::lose)
                    host.lose(step.loss);
                else if (step.kind == StepKind::map)
                    write_file(step.text, window_map_json());
                else
                    host.screenshot(step.text);
                // One frame more: it detects the loss and is drawn again.
                next(step.kind == StepKind::lose ? 1 : 0);
            } catch (const std::exception& error) {
                fail(error.what());
            }
            break;
    }
}

void ScriptPlayer::feed_input() {
    // Once the script has ended, mouse and keyboard belong to the user again.
    if (is_finished()) return;
    if (mouse_) feed_mouse_position(*mouse_);
    feed_mouse_button(0, is_mouse_down_);
    if (wheel_ != 0) feed_mouse_wheel(std::exchange(wheel_, 0.0F));
    if (!text_.empty()) feed_text(std::exchange(text_, {}));
    if (press_ && !key_down_) {
        feed_modifiers(press_->modifiers);
        feed_key(press_->key, true);
        key_down_ = press_->key;
    } else if (!press_ && key_down_) {
        feed_key(*std::exchange(key_down_, std::nullopt), false);
        feed_modifiers({});
    }
}

void ScriptPlayer::after_frame(const ScriptHost& host) {
    if (is_finished()) return;
    due_s_ = 0;
    if (frames_to_skip_ == 0)
        advance(steps_[current_], host);
    else if (--frames_to_skip_ == 0)
        step_start_ = Clock::now();
}

double ScriptPlayer::seconds_until_due() const {
    return is_finished() ? std::numeric_limits<double>::infinity() : due_s_;
}

}  // namespace gridstride::ui
