// The commands and their options. Lesson parameters become command-line options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lesson/lesson.h"
#include "readers/file_choice.h"
#include "sweep/sweep_values.h"
#include "ui/desktop/desktop.h"

namespace gridstride::app {

struct DesktopOptions : ui::DesktopConfig {
    std::string size = "1600x1000";  ///< parsed into width and height
    std::string assignment_path;     ///< read into `assignment`; empty: none
};
struct ScreenshotOptions : DesktopOptions {
    std::string output;
};
struct ListOptions {
    bool json = false;
    bool kernels = false;  ///< list the declarations of kernels instead of lessons
};
struct DevicesOptions {
    bool measure = false;
    bool json = false;
};
struct DoctorOptions {
    std::string device;
    bool json = false;
};
/// Options of all commands that run a lesson.
struct LessonOptions {
    std::string lesson_id;  ///< that of a course entry
    const Lesson* lesson = nullptr;
    std::vector<std::string> variants;  ///< in the lesson's order, at least one
    std::vector<ParameterText> flags;   ///< in the order of declaration
    std::string device;
    double deadline_seconds = 0;  ///< of each run or cell; 0: depends on the kind of device
    bool json = false;
};
/// Options that run and sweep share.
struct MeasureOptions : LessonOptions {
    std::string samples = "auto";
    std::string csv;
};
/// Options that run, inspect and explain share.
struct UserFiles {
    std::string input;
    FileChoice choice;         ///< how the input is read
    std::string kernel;        ///< a GLSL file of the user's; empty: the variant's kernel
    bool saves_files = false;  ///< write the files that a program saves; `run` does not
};
struct RunOptions : MeasureOptions, UserFiles {
    std::string save_input, save_output;
    std::string cache = "warm";
    bool is_unbatched = false;
    bool print_kernel = false;  ///< print the variant's kernel and run nothing
    bool tuned = false;         ///< use the best launch of a sweep for values that are not given
};
/// The part of the work that one of several machines does.
struct Shard {
    std::size_t index = 1, count = 1;  ///< index from 1 to count

    bool has(std::size_t item) const { return item % count == index - 1; }
};
struct SweepOptions : MeasureOptions {
    Shard shard;            ///< of the variants, or of the values of the parameter that has the most
    bool is_shard = false;  ///< whether --shard was given: the best cell need not be the best of all
};
struct InspectOptions : LessonOptions, UserFiles {
    std::string workgroups;  ///< "FIRST:LAST"; empty: as many as fit
    std::uint32_t launch = 0;
    std::string trace;  ///< the file for the records; empty: none
};
struct ExplainOptions : LessonOptions, UserFiles {};
struct MakeOptions : LessonOptions {
    std::string step;               ///< number, from 1, or id; empty: the first with an exercise
    std::string kernel;             ///< a GLSL file of the user's; empty: print the starter
    bool has_variant_flag = false;  ///< whether --variant was given
};
struct CompareOptions {
    std::string a, b;
    std::string column = "kernel_ns";
    bool json = false;
};
struct CheckOptions {
    std::string lesson;  ///< empty: all
    std::string device;
    Shard shard;  ///< of the variants and the stories
    bool full = false;
};
struct RecordOptions {
    std::string lesson;  ///< empty: all
    std::string output;
    std::string device;
    double deadline_seconds = 0;  ///< of each run; 0: depends on the kind of device
};
struct ProgressOptions {
    std::string export_file, import_file;
};

struct GradeOptions {
    std::string folder, assignment, csv;
    std::string report;                 ///< the folder of the pages for students; empty: none
    std::optional<std::uint32_t> seed;  ///< nullopt: that of the CSV's rows, or random
    Shard shard;
    std::string device;
    double deadline_seconds = 0;  ///< of each run; 0: depends on the kind of device
    bool json = false;
};
struct HandInOptions {
    std::string assignment, output;
    std::string name, number;          ///< of the student, as typed
    std::vector<std::string> kernels;  ///< "EXERCISE=FILE", in place of the saved texts
};
struct HandoutOptions {
    std::string lesson;  ///< the id of a course entry
    std::string output;
};

/// Options of `lesson`, for a lesson that is a folder of text.
struct LessonFolderOptions {
    std::string action;  ///< "new", "check" or "pack"
    std::string folder;
    std::string readers, output;  ///< pack: "students"; the folder or .zip to write
    bool run = false;             ///< check: also run every variant on the device
    std::string device;
};

using Command = std::variant<DesktopOptions, ScreenshotOptions, ListOptions, DevicesOptions, DoctorOptions,
                             RunOptions, InspectOptions, ExplainOptions, CheckOptions, SweepOptions,
                             MakeOptions, CompareOptions, RecordOptions, ProgressOptions, HandInOptions,
                             GradeOptions, HandoutOptions, LessonFolderOptions>;

/// Returns whether the arguments, the program's name first, name no command.
bool opens_window(std::span<const char* const> arguments);

/// Returns nullopt if it printed the answer to --help or --version. Throws Refusal.
std::optional<Command> parse_command_line(int argc, const char* const* argv);

/// The exit codes, which assets/manual/command_line.md documents.
enum ExitCode {
    exit_success = 0,
    exit_mismatch = 1,   ///< a result differs from its reference
    exit_usage = 2,      ///< the command line is wrong, or the lesson or the device does not allow a value
    exit_no_device = 3,  ///< no usable Vulkan device
    exit_lab_lost = 4,   ///< the run failed or ran past its deadline
    exit_file = 5,       ///< a file, or stdout, cannot be read or written
};

/// Runs a command and returns its exit code. Failures are thrown as the types of base/error.h; main() maps
/// them to exit codes and checks that the output was written.
int run_command(DesktopOptions options);
int run_command(ScreenshotOptions options);
int run_command(const ListOptions& options);
int run_command(const DevicesOptions& options);
int run_command(const DoctorOptions& options);
int run_command(const RunOptions& options);
int run_command(const SweepOptions& options);
int run_command(const InspectOptions& options);
int run_command(const ExplainOptions& options);
int run_command(const MakeOptions& options);
int run_command(const CompareOptions& options);
int run_command(const CheckOptions& options);
int run_command(const RecordOptions& options);
int run_command(const ProgressOptions& options);
int run_command(const HandInOptions& options);
int run_command(const GradeOptions& options);
int run_command(const HandoutOptions& options);
int run_command(const LessonFolderOptions& options);

/// Returns true after SIGINT (Ctrl-C), SIGHUP (the terminal was closed) or SIGTERM. The first call installs
/// the handlers and must precede the start of any thread: see TerminationSignals.
bool is_interrupted();

}  // namespace gridstride::app
