#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "commands.h"

namespace gridstride::app {

namespace {

/// Parses "1600x1000", and reads the assignment. Throws Refusal if the size is not from 640x400 to 7680x4320,
/// and what read_assignment() throws.
void read_options(DesktopOptions& options) {
    char rest = 0;
    if (std::sscanf(options.size.c_str(), "%ux%u%c", &options.width, &options.height, &rest) != 2 ||
        options.width < 640 || options.height < 400 || options.width > 7680 || options.height > 4320)
        throw Refusal(fmt::format(
            "--size {} cannot be used. Give width x height from 640x400 to 7680x4320, such as 1600x1000.",
            options.size));
    if (!options.assignment_path.empty()) options.assignment = read_assignment(options.assignment_path);
}

}  // namespace

int run_command(DesktopOptions options) {
    for (const std::string* path : {&options.ui_map, &options.frame_log})
        if (!path->empty()) require_writable(*path);
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
        throw NoDisplay(
            "There is no display to open a window on. Start it from a desktop, or use a command that needs "
            "no display: \"gridstride run reduction\", \"gridstride check\", \"gridstride screenshot "
            "reduction --output picture.png\".");
    read_options(options);
    return ui::run_desktop(options) ? exit_success : exit_mismatch;
}

int run_command(ScreenshotOptions options) {
    if (to_lower(std::filesystem::path(options.output).extension().string()) != ".png")
        throw Refusal(fmt::format(
            "--output {} cannot be used: the picture is a PNG file. Give a name that ends in .png.",
            quote_path(options.output)));
    require_writable(options.output);
    read_options(options);
    options.use_settings_file = false;
    return ui::save_screenshot(options, options.output) ? exit_success : exit_mismatch;
}

}  // namespace gridstride::app
