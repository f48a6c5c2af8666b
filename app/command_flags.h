// Defines the options of each command for CLI11. The options of a lesson's parameters depend on its name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "commands.h"
#include "story/story.h"

namespace gridstride::app {

inline constexpr const char* playground_lesson = "playground";

std::string lesson_ids();  ///< the ids of all lessons and their further stories, for messages
/// Throws Refusal if there is no such lesson.
const CourseEntry& require_lesson(const std::string& id);

/// Adds an option whose value is a file. It refuses "--csv --json", which would write a file named --json,
/// and --csv "", which would silently write none.
CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::string& file,
                             const std::string& what);
/// Adds --assignment.
CLI::Option* add_assignment_flag(CLI::App& app, std::string& file);
/// Adds --shard I/N. items: what is divided.
void add_shard_flag(CLI::App& app, Shard& shard, std::string_view items);
/// Adds --device. `to` completes "GPU to …" in its help.
void add_device_flag(CLI::App& app, std::string& device, std::string_view to);
void add_deadline_flag(CLI::App& app, double& seconds, std::string_view what);
/// Throws Refusal for a value of --lang in which no story exists.
void require_story_language(const std::string& language);
void add_desktop_flags(CLI::App& app, DesktopOptions& options);

// Add the options of commands that take a lesson. They read the name of the lesson from argc and argv.
void add_run_command_flags(CLI::App& run, RunOptions& options, int argc, const char* const* argv);
void add_inspect_flags(CLI::App& inspect, InspectOptions& options, int argc, const char* const* argv);
void add_explain_flags(CLI::App& explain, ExplainOptions& options, int argc, const char* const* argv);
void add_sweep_flags(CLI::App& sweep, SweepOptions& options, int argc, const char* const* argv);
void add_make_flags(CLI::App& make, MakeOptions& options, int argc, const char* const* argv);

void add_playground_flags(CLI::App& playground, RunOptions& options);
/// Returns true if "playground" is the lesson to open in the window, not the command. Without a file it is
/// the lesson; the window's options may precede it.
bool opens_playground(const CLI::App& app, int argc, const char* const* argv);

}  // namespace gridstride::app
