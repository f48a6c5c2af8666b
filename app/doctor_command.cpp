// What works on this machine, as lines for a person or as JSON for a script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "client/doctor.h"
#include "commands.h"
#include "exit_code.h"
#include "standard_output.h"
#include "ui/widgets/font_files.h"

namespace gridstride::app {

namespace {

using lab::Check;
using lab::CheckStatus;

constexpr std::size_t line_width = 110;  // characters

struct Section {
    const char* title;
    std::vector<Check> checks;
};

Check check_font(const char* id, const char* title, const std::vector<std::string>& files, bool is_wanted_one,
                 const char* package) {
    Check check{id, title};
    check.value = files.empty() ? "ImGui's own" : files.front();
    if (!is_wanted_one) {
        check.status = CheckStatus::warning;
        check.advice =
            fmt::format("The window works with it and looks better with another. Install {}.", package);
    }
    return check;
}

Check check_display() {
    Check check{"display", "Display"};
    for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY"}) {
        const char* const value = std::getenv(variable);
        if (!value || *value == '\0') continue;
        check.value += fmt::format("{}{}={}", check.value.empty() ? "" : ", ", variable, value);
    }
    if (check.value.empty()) {
        check.status = CheckStatus::warning;
        check.value = "none";
        check.advice =
            "No window can be opened here. \"gridstride run\", \"check\" and \"screenshot\" need none.";
    }
    return check;
}

std::vector<Check> check_window() {
    const ui::FontFiles fonts = ui::installed_font_files();
    return {check_display(),
            check_font("font_text", "Text font", fonts.text, fonts.has_wanted_text, "fonts-inter"),
            check_font("font_mono", "Code font", fonts.mono, fonts.has_wanted_mono, "fonts-jetbrains-mono")};
}

const char* mark(CheckStatus status) {
    switch (status) {
        case CheckStatus::ok:
            return "✓";
        case CheckStatus::warning:
            return "!";
        case CheckStatus::problem:
            return "✗";
    }
    return "";
}

/// Every further line is indented like the first.
std::string wrapped(std::string_view text, std::size_t indent) {
    return fmt::format("{}", fmt::join(lines_of(text, line_width - indent), "\n" + std::string(indent, ' ')));
}

void print_section(const Section& section) {
    constexpr std::size_t indent = 24;
    fmt::print("\n{}\n", section.title);
    for (const Check& check : section.checks) {
        fmt::print("  {} {:<19} {}\n", mark(check.status), check.title, wrapped(check.value, indent));
        if (!check.advice.empty()) fmt::print("{:{}}{}\n", "", indent, wrapped(check.advice, indent));
    }
    flush_stdout();
}

std::size_t count(const std::vector<Section>& sections, CheckStatus status) {
    std::size_t found = 0;
    for (const Section& section : sections)
        for (const Check& check : section.checks)
            found += check.status == status ? 1 : 0;
    return found;
}

std::string summary(std::size_t problems, std::size_t warnings) {
    if (problems > 0)
        return fmt::format("✗ {}, {}.", counted(problems, "problem"), counted(warnings, "warning"));
    if (warnings > 0) return fmt::format("✓ Gridstride can be used here; {}.", counted(warnings, "warning"));
    return "✓ Gridstride can be used here.";
}

void print_json(const std::vector<Section>& sections, int code) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const Section& section : sections)
        for (const Check& check : section.checks)
            checks.push_back({{"id", check.id},
                              {"title", check.title},
                              {"status", lab::name(check.status)},
                              {"value", check.value},
                              {"advice", check.advice}});
    const nlohmann::ordered_json document = {{"schema_version", 1},
                                             {"app_version", app_version()},
                                             {"problems", count(sections, CheckStatus::problem)},
                                             {"warnings", count(sections, CheckStatus::warning)},
                                             {"exit_code", code},
                                             {"checks", checks}};
    // A path or a driver's name need not be UTF-8.
    fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int examine_machine(const DoctorOptions& options) {
    std::vector<Section> sections;
    const auto add = [&](const char* title, std::vector<Check> checks) {
        sections.push_back({title, std::move(checks)});
        if (!options.json) print_section(sections.back());
    };
    if (!options.json) fmt::print("Gridstride {} on this machine\n", app_version());

    const lab::DeviceFindings device = lab::check_devices(options.device);
    add("Device", device.checks);
    if (device.usable && !device.hangs) {
        const Lesson* const lesson = find_lesson("reduction");
        add("Lab", lab::check_lab(options.device, lesson ? *lesson : *all_lessons().front(), interrupted));
    }
    add("Window", check_window());
    add("System", lab::check_system());

    const std::size_t problems = count(sections, CheckStatus::problem);
    const int code = !device.usable ? exit_no_device : problems > 0 ? exit_mismatch : exit_fine;
    if (options.json)
        print_json(sections, code);
    else
        fmt::print("\n{}\n", summary(problems, count(sections, CheckStatus::warning)));
    if (device.hangs) std::_Exit(finish_stdout(code));
    return code;
}

}  // namespace gridstride::app
