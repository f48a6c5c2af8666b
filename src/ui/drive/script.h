// Plays a script of steps through ImGui's own input: real mouse positions, keys and characters, on widgets
// found by their ids. See assets/manual/scripts.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ui/widgets/imgui_compat.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

struct WidgetRect;

struct KeyPress {
    Key key = Key::escape;
    Modifiers modifiers;
};
/// Parses "F5", "Ctrl+S", "Ctrl++". Returns nullopt if the text is not a key press.
std::optional<KeyPress> parse_key_press(const std::string& text);

enum class StepKind {
    click,
    hover,
    set,
    drag,  ///< along a slider's track, or across any other widget
    wheel,
    key,
    type,
    drop,  ///< a file on the window
    wait_idle,
    wait,
    patience,  ///< sets the timeout of the following steps
    samples,   ///< sets the number of samples of the following runs
    screenshot,
    map,  ///< writes the widgets and texts of the window as JSON
    expect,
    lose,
};
struct ScriptStep {
    StepKind kind = StepKind::click;
    std::string text;         ///< the widget's id, the text to type, or the file
    std::string value;        ///< of set
    double from = 0, to = 1;  ///< 0 … 1
    double seconds = 0.5;
    double by = 0;
    std::uint32_t samples = 0;
    KeyPress press;
    nlohmann::json expected;
    Loss loss = Loss::device;
    std::string name;  ///< "step 4 {"click":"x"}"
};

/// Parses {"steps":[…]} or the bare array. Throws FileError that names the faulty step, the error and the
/// valid alternatives.
std::vector<ScriptStep> parse_script(const std::string& text, const std::filesystem::path& file);

/// Returns a sentence about the first value of `actual` that is not as expected; empty if there is none.
/// Objects are compared by the keys of the expected object, arrays element by element. "~text" matches any
/// string that contains it; fractions are compared to six digits, everything else for equality.
std::string find_mismatch(const nlohmann::json& expected, const nlohmann::json& actual,
                          const std::string& path = {});

struct ScriptHost {
    std::function<bool()> idle;                               ///< nothing is running or queued
    std::function<nlohmann::json()> state;                    ///< compared by {"expect":{…}}
    std::function<void(const std::string& path)> screenshot;  ///< saves the frame just shown
    std::function<void(Loss what)> lose;                      ///< Canvas::simulate_loss()
    std::function<void(const std::string& path)> drop;        ///< drops a file on the window
    std::function<void(std::uint32_t)> set_samples;           ///< Session::set_samples()
};

class ScriptPlayer {
 public:
    /// Throws FileError if the file cannot be read or is not a valid script.
    explicit ScriptPlayer(const std::filesystem::path& file);

    /// Puts the step's mouse and keys into ImGui's input. Call after the backend's new frame and before
    /// ImGui::NewFrame().
    void feed_input();
    /// Advances the script. Call after each frame that was shown.
    void after_frame(const ScriptHost& host);
    bool is_finished() const {
        return !failure_.empty() || (current_ >= steps_.size() && frames_to_skip_ == 0);
    }
    /// Returns how long the window may sleep until the player needs the next frame: 0 while a step feeds
    /// mouse and keys, the rest of a {"wait":SECONDS}, a short time while a step polls, infinity once the
    /// script has finished.
    double seconds_until_due() const;
    /// Returns why the script stopped, "step 4 {"click":"x"}: …"; empty if no step has failed.
    const std::string& failure() const { return failure_; }

 private:
    using Clock = std::chrono::steady_clock;

    void advance(const ScriptStep& step, const ScriptHost& host);
    void click(const std::string& id);
    void set(const ScriptStep& step);
    void drag(const ScriptStep& step);
    void next(int settling_frames = 1);
    void fail(const std::string& reason);
    void retry_or_fail(double timeout_s, const std::string& reason);
    const WidgetRect* find_visible(const std::string& id);
    bool move_mouse_to(const std::string& id);

    std::vector<ScriptStep> steps_;
    std::size_t current_ = 0;
    int phase_ = 0;  ///< of the current step; advances once per frame, except while it waits
    Clock::time_point step_start_ = Clock::now();
    Clock::time_point drag_start_;
    int frames_to_skip_ = 1;  ///< frames to skip before the next step
    double due_s_ = 0;        ///< above 0 while the step waits or polls
    double find_timeout_s_ = 5;
    double idle_timeout_s_ = 60;
    std::string failure_;

    // Input for the next frame, applied by feed_input().
    std::optional<glm::vec2> mouse_;
    bool is_mouse_down_ = false;
    float wheel_ = 0;
    std::string text_;
    std::optional<KeyPress> press_;
    std::optional<Key> key_down_;
};

}  // namespace gridstride::ui
