// Plays a script of steps through ImGui's own input: real mouse positions, keys and characters, on widgets
// found by their ids. See "--ui-script" in the README.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// What the player asks of the desktop.
struct ScriptHost {
    std::function<bool()> idle;                               ///< no run in the air, nothing queued
    std::function<nlohmann::json()> state;                    ///< what {"expect":{…}} compares with
    std::function<void(const std::string& path)> screenshot;  ///< of the frame just shown
    std::function<void(Loss what)> lose;                      ///< what the window draws with
};

class ScriptPlayer {
 public:
    /// Throws FileError when the file cannot be read or is not a script, naming the step.
    explicit ScriptPlayer(const std::filesystem::path& file);
    ~ScriptPlayer();

    /// Before ImGui::NewFrame(), after the backend's: puts the step's mouse and keys into ImGui's input.
    void feed_input();
    /// After a frame was shown: advances.
    void after_frame(const ScriptHost& host);
    bool finished() const;
    /// The longest that the window may sleep until the player must see a frame again: 0 while a step needs
    /// frame after frame (mouse and keys on their way), the rest of a {"wait":SECONDS}, a moment while it
    /// looks for something; infinity when finished.
    double seconds_until_due() const;
    /// Why the script stopped at a step that did not hold: "step 4 {"click":"x"}: …"; empty when all held.
    const std::string& failure() const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gridstride::ui
