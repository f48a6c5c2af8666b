// The steps of a script, as read from its file.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ui/widgets/imgui_compat.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

struct KeyPress {
    Key key = Key::escape;
    Modifiers modifiers;
};
/// "F5", "Ctrl+S", "Ctrl++". nullopt when it is none.
std::optional<KeyPress> parse_key_press(const std::string& text);

namespace steps {
struct Click {
    std::string id;
};
struct Hover {
    std::string id;
};
struct Set {
    std::string id, value;
};
/// Over the track of a slider, or across any other widget; from and to are 0 … 1.
struct Drag {
    std::string id;
    double from = 0, to = 1, seconds = 0.5;
};
struct Wheel {
    std::string id;
    double by = 0;
};
struct Press {
    KeyPress press;
};
struct TypeText {
    std::string text;
};
struct WaitIdle {};
struct WaitSeconds {
    double seconds = 0;
};
/// From here on: how long a step looks for what it needs.
struct Patience {
    double seconds = 0;
};
struct Screenshot {
    std::string file;
};
struct Expect {
    nlohmann::json wanted;
};
struct Lose {
    Loss what = Loss::device;
};
}  // namespace steps

struct ScriptStep {
    std::variant<steps::Click, steps::Hover, steps::Set, steps::Drag, steps::Wheel, steps::Press,
                 steps::TypeText, steps::WaitIdle, steps::WaitSeconds, steps::Patience, steps::Screenshot,
                 steps::Expect, steps::Lose>
        action;
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

}  // namespace gridstride::ui
