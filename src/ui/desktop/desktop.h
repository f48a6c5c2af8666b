// The desktop app: a window, or a picture of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gridstride::ui {

struct DesktopConfig {
    std::string lesson;               ///< empty: as last time, else the first
    std::optional<std::string> step;  ///< its number, from 1, or id; nullopt: as last time
    std::string language = "en";
    std::string theme;            ///< "dark", "light"; empty: as last time, else dark
    std::optional<double> scale;  ///< 1 = 100 %; nullopt: as last time, else the screen's
    std::string device;           ///< as in gpu::choose_device()
    double deadline_seconds = 0;  ///< after which a run is given up; 0: by the kind of device
    std::uint32_t width = 1600;
    std::uint32_t height = 1000;
    std::string ui_script, ui_map, frame_log;  ///< empty: none
    bool remembers = true;                     ///< reads and writes the settings file
};

/// Opens the window and returns when it is closed: true unless a step of the script did not hold, which is
/// then said on stderr. Throws std::runtime_error without a display, NoDevice, FileError.
bool run_desktop(const DesktopConfig& config);

/// Draws the lesson's window, once its run has settled, into a .png. Needs no display. Throws like
/// run_desktop().
bool save_screenshot(const DesktopConfig& config, const std::string& output);

}  // namespace gridstride::ui
