#include "ui/drive/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "base/file.h"
#include "ui/drive/script_steps.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFindTimeout_s = 5;
constexpr double kIdleTimeout_s = 60;
constexpr double kLookAgain_s = 0.1;

const WidgetRect* find_widget(const std::string& id) {
    const auto& widgets = widget_map();
    const auto found =
        std::find_if(widgets.begin(), widgets.end(), [&](const WidgetRect& w) { return w.id == id; });
    return found == widgets.end() ? nullptr : &*found;
}

/// Levenshtein's distance: a misspelt id finds the one that was meant.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::string near_ids(const std::string& id) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const WidgetRect& widget : widget_map())
        ranked.emplace_back(edit_distance(id, widget.id), widget.id);
    std::sort(ranked.begin(), ranked.end());
    ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, ranked.size()); ++i)
        text += (text.empty() ? "" : ", ") + ranked[i].second;
    return text.empty() ? "there are no widgets" : "nearest are " + text;
}

glm::vec2 centre(const WidgetRect& widget) {
    return {(widget.min.x + widget.max.x) / 2, (widget.min.y + widget.max.y) / 2};
}

/// Where a widget is at a fraction of the way across: on a slider, where its knob stands for that position.
glm::vec2 point_across(const WidgetRect& widget, double fraction) {
    float inset = 0;
    float y = (widget.min.y + widget.max.y) / 2;
    if (widget.kind == "slider") {
        inset = std::round(theme().px(8));
        y = widget.max.y - theme().px(10);
    }
    const auto part = static_cast<float>(fraction);
    return {widget.min.x + inset + part * (widget.max.x - widget.min.x - 2 * inset), y};
}

}  // namespace

struct ScriptPlayer::State {
    std::vector<ScriptStep> steps;
    std::size_t current = 0;
    int phase = 0;  ///< of the current step; one a frame, except while it waits
    Clock::time_point step_start = Clock::now();
    Clock::time_point drag_start;
    int settle = 1;  ///< frames to let go by before the next step
    double find_timeout_s = kFindTimeout_s;
    double idle_timeout_s = kIdleTimeout_s;
    std::string failure;

    // What feed_input() puts into the next frame.
    std::optional<glm::vec2> mouse;
    bool mouse_down = false;
    float wheel = 0;
    std::string text;
    std::optional<KeyPress> press;
    bool key_is_down = false;
    Key released = Key::escape;  ///< the key that is down, to let it go
    bool sleeping = false;       ///< the step waits for time or for someone else
    double due_s = 0;

    double elapsed_s() const { return seconds_since(step_start); }
    bool done() const { return !failure.empty() || (current >= steps.size() && settle == 0); }

    void next(int settling_frames = 1) {
        ++current;
        phase = 0;
        settle = settling_frames;
        step_start = Clock::now();
    }
    void fail(const std::string& reason) {
        failure = steps[current].name + ": " + reason;
        mouse_down = false;
        press.reset();
    }
    void sleep(double seconds) {
        sleeping = true;
        due_s = std::max(0.0, seconds);
    }

    /// The widget when it can be seen; meanwhile waits, scrolls to it, and in the end fails.
    const WidgetRect* look_for(const std::string& id) {
        const WidgetRect* found = find_widget(id);
        if (found && found->visible) return found;
        if (elapsed_s() > find_timeout_s) {
            fail(found ? fmt::format("\"{}\" cannot be scrolled into view", id)
                       : fmt::format("there is no widget \"{}\"; {}", id, near_ids(id)));
            return nullptr;
        }
        if (found)
            reveal_widget(id);
        else
            sleep(kLookAgain_s);
        return nullptr;
    }

    void advance(const steps::Click& step, const ScriptHost& host);
    void advance(const steps::Hover& step, const ScriptHost& host);
    void advance(const steps::Set& step, const ScriptHost& host);
    void advance(const steps::Drag& step, const ScriptHost& host);
    void advance(const steps::Wheel& step, const ScriptHost& host);
    void advance(const steps::Press& step, const ScriptHost& host);
    void advance(const steps::TypeText& step, const ScriptHost& host);
    void advance(const steps::WaitIdle& step, const ScriptHost& host);
    void advance(const steps::WaitSeconds& step, const ScriptHost& host);
    void advance(const steps::Patience& step, const ScriptHost& host);
    void advance(const steps::Screenshot& step, const ScriptHost& host);
    void advance(const steps::Expect& step, const ScriptHost& host);
    void advance(const steps::Lose& step, const ScriptHost& host);
};

void ScriptPlayer::State::advance(const steps::Click& step, const ScriptHost&) {
    if (phase <= 1) {
        // Twice: the layout may still move under the mouse's first frame.
        const WidgetRect* widget = look_for(step.id);
        if (!widget) {
            phase = 0;
            return;
        }
        const glm::vec2 target = centre(*widget);
        const bool arrived = mouse && mouse->x == target.x && mouse->y == target.y;
        mouse = target;
        if (phase == 1 && !arrived) return;
        mouse_down = phase == 1;
        ++phase;
    } else {
        mouse_down = false;
        // The frame that sees the button come up, and the one that shows what it did.
        next(2);
    }
}

void ScriptPlayer::State::advance(const steps::Hover& step, const ScriptHost&) {
    const WidgetRect* widget = look_for(step.id);
    if (!widget) return;
    mouse = centre(*widget);
    next(2);
}

void ScriptPlayer::State::advance(const steps::Set& step, const ScriptHost&) {
    if (phase == 0) {
        const WidgetRect* widget = find_widget(step.id);
        if (!widget) {
            look_for(step.id);
            return;
        }
        request_value(step.id, step.value);
        ++phase;
        return;
    }
    if (!value_is_requested(step.id)) {
        next(2);
    } else if (++phase > 10) {
        take_requested_value(step.id);
        fail(fmt::format("\"{}\" is a {} and takes no value", step.id,
                         find_widget(step.id) ? find_widget(step.id)->kind : "widget"));
    }
}

void ScriptPlayer::State::advance(const steps::Drag& step, const ScriptHost&) {
    const WidgetRect* widget = nullptr;
    if (phase != 3) {
        widget = look_for(step.id);
        if (!widget) {
            mouse_down = false;
            phase = 0;
            return;
        }
    }
    switch (phase) {
        case 0:
            mouse = point_across(*widget, step.from);
            phase = 1;
            break;
        case 1:
            mouse = point_across(*widget, step.from);
            mouse_down = true;
            drag_start = Clock::now();
            phase = 2;
            break;
        case 2: {
            const double passed_s = seconds_since(drag_start);
            const double part = step.seconds > 0 ? std::min(1.0, passed_s / step.seconds) : 1.0;
            mouse = point_across(*widget, step.from + part * (step.to - step.from));
            if (part >= 1) phase = 3;
            break;
        }
        default:
            mouse_down = false;
            next(2);
    }
}

void ScriptPlayer::State::advance(const steps::Wheel& step, const ScriptHost&) {
    const WidgetRect* widget = look_for(step.id);
    if (!widget) return;
    mouse = centre(*widget);
    if (phase++ == 0) return;
    wheel = static_cast<float>(step.by);
    next(2);
}

void ScriptPlayer::State::advance(const steps::Press& step, const ScriptHost&) {
    if (phase++ == 0) {
        press = step.press;
        return;
    }
    press.reset();
    next(2);
}

void ScriptPlayer::State::advance(const steps::TypeText& step, const ScriptHost&) {
    text = step.text;
    next(2);
}

void ScriptPlayer::State::advance(const steps::WaitIdle&, const ScriptHost& host) {
    if (host.idle()) {
        next();
    } else if (elapsed_s() > idle_timeout_s) {
        fail(fmt::format("still busy after {} s", idle_timeout_s));
    } else {
        sleep(kLookAgain_s);
    }
}

void ScriptPlayer::State::advance(const steps::WaitSeconds& step, const ScriptHost&) {
    const double left_s = step.seconds - elapsed_s();
    if (left_s <= 0)
        next();
    else
        sleep(left_s);
}

void ScriptPlayer::State::advance(const steps::Patience& step, const ScriptHost&) {
    find_timeout_s = idle_timeout_s = step.seconds;
    next(0);
}

void ScriptPlayer::State::advance(const steps::Screenshot& step, const ScriptHost& host) {
    try {
        host.screenshot(step.file);
        next(0);
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void ScriptPlayer::State::advance(const steps::Expect& step, const ScriptHost& host) {
    const std::string reason = difference(step.wanted, host.state());
    if (reason.empty())
        next(0);
    else if (elapsed_s() > find_timeout_s)
        fail(reason);
    else
        sleep(kLookAgain_s);
}

void ScriptPlayer::State::advance(const steps::Lose& step, const ScriptHost& host) {
    try {
        host.lose(step.what);
        // The frame that finds it lost, and is drawn again.
        next();
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

ScriptPlayer::ScriptPlayer(const std::filesystem::path& file) : state_(std::make_unique<State>()) {
    state_->steps = parse_script(read_file(file), file);
}
ScriptPlayer::~ScriptPlayer() = default;

void ScriptPlayer::feed_input() {
    State& s = *state_;
    // Only while it plays: afterwards mouse and keyboard are the user's again.
    if (s.done()) return;
    if (s.mouse) feed_mouse_position(*s.mouse);
    feed_mouse_button(0, s.mouse_down);
    if (s.wheel != 0) feed_mouse_wheel(std::exchange(s.wheel, 0.0F));
    if (!s.text.empty()) feed_text(std::exchange(s.text, {}));
    static constexpr Modifiers none{};
    if (s.press && !s.key_is_down) {
        feed_modifiers(s.press->modifiers);
        feed_key(s.press->key, true);
        s.key_is_down = true;
        s.released = s.press->key;
    } else if (!s.press && s.key_is_down) {
        feed_key(s.released, false);
        feed_modifiers(none);
        s.key_is_down = false;
    }
}

void ScriptPlayer::after_frame(const ScriptHost& host) {
    State& s = *state_;
    if (s.done()) return;
    s.sleeping = false;
    if (s.settle > 0) {
        if (--s.settle == 0) s.step_start = Clock::now();
        return;
    }
    std::visit([&](const auto& step) { s.advance(step, host); }, s.steps[s.current].action);
}

bool ScriptPlayer::finished() const {
    return state_->done();
}

double ScriptPlayer::seconds_until_due() const {
    if (state_->done()) return std::numeric_limits<double>::infinity();
    return state_->sleeping ? state_->due_s : 0.0;
}

const std::string& ScriptPlayer::failure() const {
    return state_->failure;
}

}  // namespace gridstride::ui
