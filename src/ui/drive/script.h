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
/// "F5", "Ctrl+S", "Ctrl++". nullopt when it is none.
std::optional<KeyPress> parse_key_press(const std::string& text);

enum class StepKind {
    click,
    hover,
    set,
    drag,  ///< over the track of a slider, or across any other widget
    wheel,
    key,
    type,
    drop,  ///< a file on the window
    wait_idle,
    wait,
    patience,  ///< from here on: how long a step looks for what it needs
    samples,   ///< from here on: how many a run takes
    screenshot,
    map,  ///< what the window shows, as JSON
    expect,
    lose,
};
/// As read from the file. Which members count depends on its kind.
struct ScriptStep {
    StepKind kind = StepKind::click;
    std::string text;         ///< the widget's id, what is typed, or the file
    std::string value;        ///< to set
    double from = 0, to = 1;  ///< 0 … 1
    double seconds = 0.5;
    double by = 0;
    std::uint32_t samples = 0;
    KeyPress press;
    nlohmann::json wanted;
    Loss lost = Loss::device;
    std::string name;  ///< "step 4 {"click":"x"}"
};

/// {"steps":[…]} or the bare array. Throws FileError naming the step, what is wrong with it and what there
/// is.
std::vector<ScriptStep> parse_script(const std::string& text, const std::filesystem::path& file);

/// Why `actual` does not hold what `wanted` says, or empty: objects are compared by the wanted keys, arrays
/// element by element, "~text" with any string that contains it, fractions to six digits, all else by
/// equality.
std::string difference(const nlohmann::json& wanted, const nlohmann::json& actual,
                       const std::string& path = {});

/// What the player asks of the desktop.
struct ScriptHost {
    std::function<bool()> idle;                               ///< no run in the air, nothing queued
    std::function<nlohmann::json()> state;                    ///< what {"expect":{…}} compares with
    std::function<void(const std::string& path)> screenshot;  ///< of the frame just shown
    std::function<void(Loss what)> lose;                      ///< what the window draws with
    std::function<void(const std::string& path)> drop;        ///< on the window
    std::function<void(std::uint32_t)> take_samples;          ///< Session::take_samples()
};

class ScriptPlayer {
 public:
    /// Throws FileError when the file cannot be read or is not a script, naming the step.
    explicit ScriptPlayer(const std::filesystem::path& file);

    /// Before ImGui::NewFrame(), after the backend's: puts the step's mouse and keys into ImGui's input.
    void feed_input();
    /// After a frame was shown: advances.
    void after_frame(const ScriptHost& host);
    bool finished() const { return !failure_.empty() || (current_ >= steps_.size() && settle_ == 0); }
    /// The longest that the window may sleep until the player must see a frame again: 0 while a step needs
    /// frame after frame (mouse and keys on their way), the rest of a {"wait":SECONDS}, a moment while it
    /// looks for something; infinity when finished.
    double seconds_until_due() const;
    /// Why the script stopped at a step that did not hold: "step 4 {"click":"x"}: …"; empty when all held.
    const std::string& failure() const { return failure_; }

 private:
    using Clock = std::chrono::steady_clock;

    void advance(const ScriptStep& step, const ScriptHost& host);
    void click(const std::string& id);
    void set(const ScriptStep& step);
    void drag(const ScriptStep& step);
    void next(int settling_frames = 1);
    void fail(const std::string& reason);
    void look_again_or_fail(double timeout_s, const std::string& reason);
    const WidgetRect* look_for(const std::string& id);
    bool point_at(const std::string& id);

    std::vector<ScriptStep> steps_;
    std::size_t current_ = 0;
    int phase_ = 0;  ///< of the current step; one a frame, except while it waits
    Clock::time_point step_start_ = Clock::now();
    Clock::time_point drag_start_;
    int settle_ = 1;    ///< frames to let go by before the next step
    double due_s_ = 0;  ///< above 0 while the step waits for time or for someone else
    double find_timeout_s_ = 5;
    double idle_timeout_s_ = 60;
    std::string failure_;

    // What feed_input() puts into the next frame.
    std::optional<glm::vec2> mouse_;
    bool mouse_down_ = false;
    float wheel_ = 0;
    std::string text_;
    std::optional<KeyPress> press_;
    std::optional<Key> key_down_;  ///< to let it go
};

}  // namespace gridstride::ui
