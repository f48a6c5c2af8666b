// The desktop app: runs it in a window, or saves a screenshot of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assignment/assignment.h"
#include "base/language.h"

namespace gridstride::ui {

struct DesktopConfig {
    std::optional<Assignment> assignment;  ///< shown first on the course page
    std::string lesson;                    ///< empty: the last session's, else the first
    std::string file;                      ///< opened as if it were dropped on the window; empty: none
    std::optional<std::string> step;       ///< number from 1, or id; nullopt: the last session's
    std::string language = text_language();
    std::string theme;            ///< "dark", "light"; empty: the last session's, else dark
    std::optional<double> scale;  ///< 1 = 100 %; nullopt: the last session's, else the screen's
    std::string device;           ///< see gpu::find_device()
    double deadline_seconds = 0;  ///< a longer run is aborted; 0: depends on the kind of device
    std::uint32_t width = 1600;
    std::uint32_t height = 1000;
    std::string ui_script, ui_map, frame_log;  ///< empty: none
    bool use_settings_file = true;             ///< reads and writes the settings file
};

/// Opens the window and returns when it is closed. Returns false if a step of the script failed, after
/// printing the failure to stderr. Throws std::runtime_error without a display, NoDevice, FileError.
bool run_desktop(const DesktopConfig& config);

/// Draws the lesson's window into a .png once its run has finished. Needs no display. Returns and throws like
/// run_desktop().
bool save_screenshot(const DesktopConfig& config, const std::string& output);

}  // namespace gridstride::ui
