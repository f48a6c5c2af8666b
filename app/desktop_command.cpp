#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "commands.h"
#include "exit_code.h"
#include "ui/panels/desktop.h"

namespace gridstride::app {

namespace {

ui::DesktopConfig config_of(const DesktopOptions& options) {
    const auto [width, height] = parse_size(options.size);
    ui::DesktopConfig config;
    config.lesson = options.lesson;
    config.step = options.step;
    config.language = options.language;
    config.theme = options.theme;
    config.scale = options.scale;
    config.device = options.device;
    config.deadline_seconds = options.deadline_seconds;
    config.width = width;
    config.height = height;
    config.ui_script = options.ui_script;
    config.ui_map = options.ui_map;
    config.frame_log = options.frame_log;
    return config;
}

}  // namespace

int open_desktop(const DesktopOptions& options) {
    for (const std::string* path : {&options.ui_map, &options.frame_log})
        if (!path->empty()) require_writable(*path);
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
        throw NoDisplay(
            "There is no display to open a window on. Run it from a desktop, or use a command that needs "
            "none: \"gridstride run "
            "reduction\", \"gridstride check\", \"gridstride screenshot reduction --output picture.png\".");
    return ui::run_desktop(config_of(options)) ? exit_fine : exit_mismatch;
}

int take_screenshot(const ScreenshotOptions& options) {
    if (in_lower_case(std::filesystem::path(options.output).extension().string()) != ".png")
        throw UsageError(
            fmt::format("--output {} cannot be used: the picture is a PNG. Give a name that ends in .png.",
                        quoted_path(options.output)));
    require_writable(options.output);
    ui::DesktopConfig config = config_of(options.desktop);
    config.remembers = false;
    return ui::save_screenshot(config, options.output) ? exit_fine : exit_mismatch;
}

}  // namespace gridstride::app
