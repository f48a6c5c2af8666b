// The commands, and the command line as values: lesson parameters become flags by their declaration.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lesson/lesson.h"
#include "readers/file_choice.h"
#include "sweep/sweep_values.h"
#include "ui/desktop/desktop.h"

namespace gridstride::app {

struct DesktopOptions : ui::DesktopConfig {
    std::string size = "1600x1000";  ///< is read into width and height
};
struct ScreenshotOptions : DesktopOptions {
    std::string output;
};
struct ListOptions {
    bool json = false;
    bool kernels = false;  ///< what they declare, in place of the lessons
};
struct DevicesOptions {
    bool measure = false;
    bool json = false;
};
struct DoctorOptions {
    std::string device;
    bool json = false;
};
/// What run, sweep and inspect share.
struct LessonOptions {
    std::string lesson_id;
    const Lesson* lesson = nullptr;
    std::vector<std::string> variants;  ///< in the lesson's order, at least one
    std::vector<WrittenValues> flags;   ///< in the order of declaration
    std::string device;
    double deadline_seconds = 0;  ///< of each run or cell; 0: by the kind of device
    bool json = false;
};
/// What run and sweep share.
struct MeasureOptions : LessonOptions {
    std::string samples = "auto";
    std::string csv;
};
/// What run and inspect share.
struct OwnFiles {
    std::string input;
    FileChoice choice;         ///< how it is read
    std::string kernel;        ///< a file of the person's own GLSL; empty: the variant's kernel
    bool saves_files = false;  ///< those that a program asks to be written, which `run` leaves
};
struct RunOptions : MeasureOptions, OwnFiles {
    std::string save_input, save_output;
    std::string cache = "warm";
    bool unbatched = false;
    bool print_kernel = false;  ///< the variant's, in place of a run
    bool tuned = false;         ///< what is not named of the launch is what a sweep remembered
};
struct SweepOptions : MeasureOptions {};
struct InspectOptions : LessonOptions, OwnFiles {
    std::string workgroups;  ///< "FIRST:LAST"; empty: as many as fit
    std::uint32_t launch = 0;
    std::string trace;  ///< the file of the records; empty: none
};
struct MakeOptions : LessonOptions {
    std::string step;            ///< its number, from 1, or id; empty: the first at which something is made
    std::string kernel;          ///< a file of the person's own GLSL; empty: the starter is asked for
    bool names_variant = false;  ///< --variant was given
};
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
struct RecordOptions {
    std::string lesson;  ///< empty: all
    std::string output;
    std::string device;
    double deadline_seconds = 0;  ///< of each run; 0: by the kind of device
};
/// One of the two.
struct ProgressOptions {
    std::string export_file, import_file;
};

using Command = std::variant<DesktopOptions, ScreenshotOptions, ListOptions, DevicesOptions, DoctorOptions,
                             RunOptions, InspectOptions, CheckOptions, SweepOptions, MakeOptions,
                             CompareOptions, RecordOptions, ProgressOptions>;

/// nullopt when --help or --version was answered on stdout. Throws Refusal.
std::optional<Command> parse_command_line(int argc, const char* const* argv);

/// The program's exit codes, as assets/manual/command_line.md has them.
enum ExitCode {
    exit_fine = 0,
    exit_mismatch = 1,  ///< a result differs from its reference
    exit_usage =
        2,  ///< the command line is wrong, or a value is outside what the lesson or the device allows
    exit_no_device = 3,  ///< no usable Vulkan device
    exit_lab_lost = 4,   ///< the run failed or ran past its deadline
    exit_file = 5,       ///< a file, or stdout, cannot be read or written
};

/// A command's exit code. Failures are thrown as base/error.h's types and mapped in main(), which also sees
/// to it that what was printed has arrived.
int carry_out(DesktopOptions options);
int carry_out(ScreenshotOptions options);
int carry_out(const ListOptions& options);
int carry_out(const DevicesOptions& options);
int carry_out(const DoctorOptions& options);
int carry_out(const RunOptions& options);
int carry_out(const SweepOptions& options);
int carry_out(const InspectOptions& options);
int carry_out(const MakeOptions& options);
int carry_out(const CompareOptions& options);
int carry_out(const CheckOptions& options);
int carry_out(const RecordOptions& options);
int carry_out(const ProgressOptions& options);

/// True once the person pressed Ctrl-C, closed the terminal (SIGHUP) or asked the program to end (SIGTERM).
/// The first call, to be made before any thread starts, begins to listen: see EndSignals.
bool interrupted();

}  // namespace gridstride::app
