// The flags of each command, as CLI11 reads them. Those of a lesson's parameters are known once its name is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "commands.h"

namespace gridstride::app {

inline constexpr const char* playground_lesson = "playground";

std::string lesson_ids();  ///< of all lessons, as messages list them
/// Throws Refusal.
const Lesson& lesson_named(const std::string& id);

/// An option that names a file. Without this, "--csv --json" would write a file named --json, and --csv ""
/// would write none, without a word.
CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::string& file,
                             const std::string& what);
/// "--device": the GPU `to` do what.
void add_device_flag(CLI::App& app, std::string& device, std::string_view to);
void add_deadline_flag(CLI::App& app, double& seconds, std::string_view what);
void add_desktop_flags(CLI::App& app, DesktopOptions& options);

// Of commands that take a lesson. Its flags come from the command line, argc and argv.
void add_flags_of_any_lesson(CLI::App& run, RunOptions& options, int argc, const char* const* argv);
void add_inspect_flags(CLI::App& inspect, InspectOptions& options, int argc, const char* const* argv);
void add_sweep_flags(CLI::App& sweep, SweepOptions& options, int argc, const char* const* argv);
void add_make_flags(CLI::App& make, MakeOptions& options, int argc, const char* const* argv);

void add_playground_flags(CLI::App& playground, RunOptions& options);
/// Without a file it is the lesson in the window, as other lessons' names are, whose flags may stand before.
bool opens_playground(const CLI::App& app, int argc, const char* const* argv);

}  // namespace gridstride::app
