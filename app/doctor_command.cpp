#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "client/doctor.h"
#include "commands.h"
#include "standard_output.h"
#include "ui/widgets/fonts.h"

namespace gridstride::app {

namespace {

using lab::Check;
using lab::CheckStatus;

constexpr std::size_t line_width = 110;  // characters

Check check_font(const char* id, const char* title, const std::vector<std::string>& files, bool is_wanted_one,
                 const char* package) {
    return lab::make_check(
        id, title, files.empty() ? "ImGui's own" : files.front(), is_wanted_one,
        fmt::format("The window works with this font, but looks better with another. Install {}.", package));
}

Check check_display() {
    std::vector<std::string> displays;
    for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"})
        if (const char* const value = std::getenv(variable); value && *value != '\0')
            displays.push_back(fmt::format("{}={}", variable, value));
    return lab::make_check(
        "display", "Display", displays.empty() ? "none" : join(displays, ", "), !displays.empty(),
        "No window can be opened here. \"gridstride run\", \"check\" and \"screenshot\" need no display.");
}

std::vector<Check> check_window() {
    const ui::FontFiles fonts = ui::installed_font_files();
    return {
        check_display(),
        check_font("font_text", "Text font", fonts.text, fonts.has_preferred_text, "fonts-inter"),
        check_font("font_mono", "Code font", fonts.mono, fonts.has_preferred_mono, "fonts-jetbrains-mono")};
}

/// Wraps text; further lines are indented like the first.
std::string wrapped(std::string_view text, std::size_t indent) {
    return join(wrap_words(text, line_width - indent), "\n" + std::string(indent, ' '));
}

void print_section(const char* title, const std::vector<Check>& checks) {
    constexpr std::size_t indent = 24;
    constexpr const char* marks[] = {"✓", "!", "✗"};  // by CheckStatus
    print("\n{}\n", title);
    for (const Check& check : checks) {
        print("  {} {:<19} {}\n", marks[static_cast<std::size_t>(check.status)], check.title,
              wrapped(check.value, indent));
        if (!check.advice.empty()) print("{:{}}{}\n", "", indent, wrapped(check.advice, indent));
    }
    flush_stdout();
}

std::string summary(std::uint64_t problems, std::uint64_t warnings) {
    if (problems > 0)
        return fmt::format("✗ {}, {}.", counted(problems, "problem"), counted(warnings, "warning"));
    if (warnings > 0) return fmt::format("✓ Gridstride can be used here; {}.", counted(warnings, "warning"));
    return "✓ Gridstride can be used here.";
}

void print_json(const std::vector<Check>& checks, std::uint64_t problems, std::uint64_t warnings, int code) {
    constexpr const char* names[] = {"ok", "warning", "problem"};  // by CheckStatus
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Check& check : checks)
        list.push_back({{"id", check.id},
                        {"title", check.title},
                        {"status", names[static_cast<std::size_t>(check.status)]},
                        {"value", check.value},
                        {"advice", check.advice}});
    const nlohmann::ordered_json document = {{"schema_version", 1},  {"app_version", app_version()},
                                             {"problems", problems}, {"warnings", warnings},
                                             {"exit_code", code},    {"checks", list}};
    // A path or a driver's name need not be UTF-8.
    print("{}\n", document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int run_command(const DoctorOptions& options) {
    is_interrupted();
    std::vector<Check> all;
    const auto add = [&](const char* title, const std::vector<Check>& checks) {
        if (!options.json) print_section(title, checks);
        all.insert(all.end(), checks.begin(), checks.end());
    };
    if (!options.json) print("Gridstride {} on this machine\n", app_version());

    const lab::DeviceFindings device = lab::check_devices(options.device);
    add("Device", device.checks);
    if (device.is_usable && !device.hangs) {
        const Lesson* const lesson = find_lesson("reduction");
        add("Lab", lab::check_lab(options.device, lesson ? *lesson : *all_lessons().front(), is_interrupted));
    }
    add("Window", check_window());
    add("System", lab::check_system());

    const auto count = [&all](CheckStatus status) {
        return static_cast<std::uint64_t>(std::ranges::count(all, status, &Check::status));
    };
    const std::uint64_t problems = count(CheckStatus::problem), warnings = count(CheckStatus::warning);
    const int code = !device.is_usable ? exit_no_device : problems > 0 ? exit_mismatch : exit_success;
    if (options.json)
        print_json(all, problems, warnings, code);
    else
        print("\n{}\n", summary(problems, warnings));
    if (device.hangs) std::_Exit(finish_stdout(code));
    return code;
}

}  // namespace gridstride::app
