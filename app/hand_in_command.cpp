#include <fmt/format.h>

#include <ranges>

#include "assignment/hand_in.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utc_time.h"
#include "commands.h"
#include "lesson/kernel_file.h"
#include "session/session_files.h"
#include "standard_output.h"
#include "ui/settings/settings_file.h"

namespace gridstride::app {

namespace {

/// Replaces the saved text of an exercise by a file. text: "EXERCISE=FILE". Throws Refusal and FileError.
void add_kernel_file(const Assignment& assignment, const std::string& text,
                     std::map<KernelKey, KernelEdit>& kernels) {
    const std::size_t equals = text.find('=');
    for (const AssignedExercise& exercise : assignment.exercises)
        if (equals != std::string::npos && exercise.block.id == text.substr(0, equals)) {
            kernels[exercise.key()].source = read_kernel(text.substr(equals + 1));
            return;
        }
    throw Refusal(
        "--kernel {} cannot be used. Write EXERCISE=FILE, where EXERCISE is one of {}.", quote_text(text),
        join(assignment.exercises |
                 std::views::transform([](const AssignedExercise& exercise) { return exercise.block.id; }),
             ", "));
}

}  // namespace

int run_command(const HandInOptions& options) {
    const Assignment assignment = read_assignment(options.assignment);
    require_writable(options.output);
    ProgressFile progress{ui::SettingsFile(ui::settings_path()).read().story_progress,
                          saved_kernels(sessions_folder())};
    for (const std::string& kernel : options.kernels)
        add_kernel_file(assignment, kernel, progress.kernels);
    const std::string text = format_hand_in(assignment, progress, options.name, options.number, utc_now());
    print("{}", text);
    write_file(options.output, text);
    print_status("wrote this to {}, {}.", quote_path(options.output), format_byte_text(text.size()));
    if (const auto missing_exercises = exercises_without_text(assignment, progress.kernels);
        !missing_exercises.empty())
        print_status("it has no text for {}. Write one in the window, or give --kernel EXERCISE=FILE.",
                     join(missing_exercises, ", "));
    return exit_success;
}

}  // namespace gridstride::app
