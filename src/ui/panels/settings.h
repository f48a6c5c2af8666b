// What the window remembers between sessions, in the XDG configuration directory.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "session/session.h"
#include "ui/panels/workspace.h"

namespace gridstride::ui {

struct Settings {
    Mode mode = Mode::dark;
    float scale = 0;  ///< 0: never chosen
    std::string language = "en";
    std::string lesson;
    std::size_t step = 0;
    Layout layout;
    std::map<PredictionKey, Prediction> predictions;
};

/// A damaged file is set aside as settings.json.damaged, with a warning in the log, and the defaults are
/// used.
Settings load_settings(const std::filesystem::path& file);
std::string format_settings(const Settings& settings);
/// Reads what format_settings() wrote. Throws std::exception on anything else.
Settings parse_settings(const std::string& text);

std::filesystem::path settings_file();

}  // namespace gridstride::ui
