// The command line as values. Lesson parameters become flags by their declaration.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::app {

struct DesktopOptions {
    std::string lesson;               ///< empty: the last one, or the first
    std::optional<std::size_t> step;  ///< from 1
    std::string language = "en";
    std::string theme;            ///< dark, light; empty: as last time
    std::optional<double> scale;  ///< 1 = 100 %
    std::string device;
    double deadline_seconds = 0;  ///< of each run; 0: by the kind of device
    std::string size = "1600x1000";
    std::string ui_script, ui_map, frame_log;
};
struct ScreenshotOptions {
    DesktopOptions desktop;
    std::string output;
};
struct ListOptions {
    bool json = false;
};
struct DevicesOptions {
    bool json = false;
};
struct DoctorOptions {
    std::string device;
    bool json = false;
};
/// What run and sweep share.
struct MeasureOptions {
    const Lesson* lesson = nullptr;
    std::vector<std::string> variants;                            ///< in the lesson's order, at least one
    std::vector<std::pair<const Parameter*, std::string>> flags;  ///< as written, in the order of declaration
    std::string samples = "auto";
    std::string device;
    double deadline_seconds = 0;  ///< of each run or cell; 0: by the kind of device
    std::string csv;
    bool json = false;
};
struct RunOptions : MeasureOptions {
    std::string input, save_input, save_output;
    std::string cache = "warm";
    bool unbatched = false;
    std::string kernel;  ///< a file of the person's own GLSL; empty: the variant's kernel
};
struct SweepOptions : MeasureOptions {};
struct CompareOptions {
    std::string a, b;
    std::string column = "kernel_ns";
    bool json = false;
};
struct CheckOptions {
    std::string lesson;  ///< empty: all
    std::string device;
    bool full = false;
};

using Command = std::variant<DesktopOptions, ScreenshotOptions, ListOptions, DevicesOptions, DoctorOptions,
                             RunOptions, CheckOptions, SweepOptions, CompareOptions>;

/// The command line is wrong: the message is a sentence or two.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// nullopt when --help or --version was answered on stdout. Throws UsageError.
std::optional<Command> parse_command_line(int argc, const char* const* argv);

/// "1600x1000" -> {1600, 1000}. Throws UsageError outside 640x400 … 7680x4320.
std::pair<std::uint32_t, std::uint32_t> parse_size(const std::string& text);

}  // namespace gridstride::app
