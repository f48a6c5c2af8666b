#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/file_worker.h"
#include "base/language.h"
#include "base/log.h"
#include "base/termination_signals.h"
#include "base/text.h"
#include "client/worker.h"
#include "command_flags.h"
#include "commands.h"
#include "gpu/driver_cache.h"
#include "shader/compile_isolated.h"
#include "standard_output.h"
#include "text_lesson/lesson_folders.h"
#include "text_lesson/text_lesson.h"
#include "ui/settings/settings_file.h"

namespace gridstride::app {

bool is_interrupted() {
    static const TerminationSignals signals;
    return signals.was_received();
}

namespace {

/// The wait for file threads, which check for a stop every few megabytes.
constexpr std::chrono::milliseconds file_work_timeout{300};

int print_error(const std::exception& error, ExitCode code) {
    print_status("{}", error.what());
    return code;
}

/// Makes writes to a closed pipe or beyond the file size limit fail with an error instead of a signal that
/// ends the program and loses measurements. The lab process inherits this.
void ignore_write_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

/// Opens /dev/null for closed standard streams. Otherwise the next opened file would get their descriptor,
/// and output would be written into it. It is opened read-only, so that lost output is an error.
void reserve_standard_streams() {
    int descriptor = 0;
    do {
        descriptor = ::open("/dev/null", O_RDONLY);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    ::close(descriptor);
}

bool loads_driver(const Command& command) {
    const auto* const folder = std::get_if<LessonFolderOptions>(&command);
    return !std::holds_alternative<ListOptions>(command) &&
           !std::holds_alternative<CompareOptions>(command) &&
           !std::holds_alternative<ProgressOptions>(command) &&
           !std::holds_alternative<HandInOptions>(command) && (!folder || folder->run);
}

/// The values of options that every command takes, and all other arguments.
struct CommonOptions {
    std::vector<std::string> lesson_folders;
    std::optional<std::string> language;
    std::vector<const char*> others;
};

CommonOptions take_common_options(int argc, char** argv) {
    CommonOptions options;
    for (int i = 0; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value_of = [&](std::string_view flag) -> const char* {
            if (word == flag && i + 1 < argc) return argv[++i];
            const bool has_value = word.starts_with(flag) && word.substr(flag.size()).starts_with('=');
            return has_value ? argv[i] + flag.size() + 1 : nullptr;
        };
        if (const char* const folder = value_of("--lessons"))
            options.lesson_folders.emplace_back(folder);
        else if (const char* const language = value_of("--lang"))
            options.language = language;
        else
            options.others.push_back(argv[i]);
    }
    return options;
}

/// Registers the lessons of GRIDSTRIDE_LESSONS and of --lessons in the language of --lang, and returns the
/// arguments without these options. They are registered before the command line is parsed, because their
/// parameters are flags. Prints the errors of those that cannot be loaded. Throws Refusal if no story exists
/// in the language.
std::vector<const char*> register_lesson_folders(int argc, char** argv) {
    CommonOptions options = take_common_options(argc, argv);
    const bool chooses = !options.language && !std::getenv("GRIDSTRIDE_LANG") && opens_window(options.others);
    const std::string setting = chooses ? ui::read_language_setting() : "";
    set_text_language(setting.empty() ? options.language.value_or(text_language()) : setting);
    std::vector<std::string>& folders = options.lesson_folders;
    if (const char* const lines = std::getenv("GRIDSTRIDE_LESSONS"))
        for (const std::string_view line : split(lines, '\n'))
            if (!line.empty()) folders.emplace_back(line);
    for (const std::string& folder : folders)
        for (const std::string& error : text_lesson::register_lessons(text_lesson::load_lessons(folder)))
            print_status("{}", error);
    if (options.language) require_story_language(*options.language);
    return options.others;
}

int run(int argc, char** argv) {
    reserve_standard_streams();
    ignore_write_signals();
    set_up_log();
    if (argc == 4 && argv[1] == lab::worker_argument) {
        set_text_language(text_language());
        gpu::guard_driver_cache();
        return lab::serve_lab(std::atoi(argv[2]), std::atoi(argv[3]),
                              [](const std::string& folder, LessonFiles files) {
                                  try {
                                      register_lesson(text_lesson::remake_lesson(folder, std::move(files)));
                                  } catch (const std::runtime_error& error) {
                                      log_warning(error.what());  // the request is refused
                                  }
                              });
    }
    try {
        const std::vector<const char*> arguments = register_lesson_folders(argc, argv);
        const std::optional<Command> command =
            parse_command_line(static_cast<int>(arguments.size()), arguments.data());
        if (command && loads_driver(*command)) gpu::guard_driver_cache();
        return finish_stdout(
            command ? std::visit([](const auto& options) { return run_command(options); }, *command)
                    : exit_success);
    } catch (const Refusal& error) {
        return print_error(error, exit_usage);
    } catch (const NoDisplay& error) {
        return print_error(error, exit_usage);
    } catch (const NoDevice& error) {
        return print_error(error, exit_no_device);
    } catch (const FileError& error) {
        return print_error(error, exit_file);
    } catch (const std::exception& error) {
        return print_error(error, exit_lab_lost);
    }
}

}  // namespace

}  // namespace gridstride::app

int main(int argc, char** argv) {
    if (argc > 1 && argv[1] == gridstride::shader::compile_argument)
        return gridstride::shader::serve_compile();
    const int code = gridstride::app::run(argc, argv);
    // A file thread may hang on a mount that does not respond. Exit without it and without destroying statics
    // that it uses. Everything has been saved.
    if (!gridstride::wait_for_file_threads(gridstride::app::file_work_timeout)) {
        std::fflush(nullptr);
        std::_Exit(code);
    }
    return code;
}
