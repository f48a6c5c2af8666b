#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <concepts>
#include <filesystem>
#include <functional>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "command_flags.h"
#include "commands.h"
#include "declared_texts.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

constexpr std::string_view command_names[] = {
    "list",    "devices", "doctor", "run",    "playground", "sweep",   "inspect", "explain", "make",
    "compare", "check",   "lesson", "record", "progress",   "hand-in", "grade",   "handout", "screenshot"};

/// Returns the named variants, each once, in the lesson's order. "all" means all except exercises; no name
/// means the default variant.
std::vector<std::string> select_variants(const Lesson& lesson, const std::vector<std::string>& names) {
    if (names.empty()) return {lesson.default_variant};
    for (const std::string& name : names)
        if (name != "all" && !find_variant(lesson, name))
            throw Refusal(fmt::format("{} has no variant named \"{}\". Its variants are: {}, all.", lesson.id,
                                      name,
                                      join(lesson.variants | std::views::transform(&Variant::id), ", ")));
    const auto named = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::vector<std::string> found;
    for (const Variant& variant : lesson.variants)
        if (named("all") || named(variant.id)) found.push_back(variant.id);
    for (const Variant& exercise : lesson.exercises)
        if (named(exercise.id)) found.push_back(exercise.id);
    return found;
}

/// Takes the name of a file or folder in place of a lesson.
void take_file(DesktopOptions& options) {
    std::error_code none;
    if (find_course_entry(options.lesson) || !std::filesystem::exists(options.lesson, none)) return;
    const auto file = std::filesystem::absolute(options.lesson);
    options.file = file.string();
    options.lesson = file.extension() == fmt::format(".{}", playground_lesson) ? playground_lesson : "";
}

template <class Options>
Command finish_options(Options& options, const CLI::App& command) {
    if constexpr (std::derived_from<Options, LessonOptions>) {
        options.lesson = require_lesson(options.lesson_id).lesson;
        options.variants = select_variants(*options.lesson, options.variants);
        std::erase_if(options.flags, [&](const ParameterText& flag) {
            return command.count("--" + kebab_case(flag.parameter->id)) == 0;
        });
    } else if constexpr (requires { options.lesson; }) {
        if constexpr (std::derived_from<Options, DesktopOptions>) take_file(options);
        if (!options.lesson.empty()) require_lesson(options.lesson);
    }
    if constexpr (std::same_as<Options, CheckOptions>)
        if (!options.lesson.empty()) options.lesson = find_course_entry(options.lesson)->lesson->id;
    if constexpr (requires { options.json&& options.csv == "-"; })
        if (options.json && options.csv == "-")
            throw Refusal("--json and --csv - both write to stdout. Give --csv a file.");
    if constexpr (std::same_as<Options, MakeOptions>)
        options.has_variant_flag = command.count("--variant") > 0;
    if constexpr (std::same_as<Options, SweepOptions>) options.is_shard = command.count("--shard") > 0;
    if constexpr (std::same_as<Options, ProgressOptions>)
        if (options.export_file.empty() == options.import_file.empty())
            throw Refusal("progress needs either --export FILE or --import FILE. Give one of them.");
    return options;
}

Refusal to_refusal(const CLI::App& app, const CLI::ParseError& error) {
    std::string command = "gridstride";
    for (const CLI::App* sub : app.get_subcommands())
        command += " " + sub->get_name();
    std::string reason = error.what();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
        // CLI11 lists option and value in unspecified order; the option is the misspelt one.
        std::string_view extras(reason);
        extras.remove_prefix(std::min(extras.size(), extras.find(": ") + 2));
        const std::size_t flag = extras.find("--");
        if (flag != std::string_view::npos) extras.remove_prefix(flag);
        reason = fmt::format("\"{}\" is not a known option or argument", extras.substr(0, extras.find(' ')));
    } else if (error.get_name() == "ArgumentMismatch" && reason.find(':') != std::string::npos) {
        // "--step: 1 required UINT missing"
        reason = fmt::format("{} needs a value", reason.substr(0, reason.find(':')));
    } else if (const std::size_t set = reason.find(" not in {"); set != std::string::npos) {
        // "--cache: hot not in {warm,cold}"
        std::string choices = reason.substr(set + 9);
        choices.resize(choices.find('}'));
        for (std::size_t comma = choices.find(','); comma != std::string::npos;
             comma = choices.find(',', comma + 4))
            choices.replace(comma, 1, " or ");
        reason = fmt::format("{} cannot be used: give {}", reason.substr(0, set), choices);
    }
    return Refusal(fmt::format("{}. \"{} --help\" lists the options.", reason, command));
}

}  // namespace

bool opens_window(std::span<const char* const> arguments) {
    return arguments.size() < 2 ||
           std::ranges::find(command_names, std::string_view(arguments[1])) == std::end(command_names);
}

std::optional<Command> parse_command_line(int argc, const char* const* argv) {
    // For the shell: gridstride --complete WORD… BEGUN_WORD. The words before it name the lesson.
    const bool completes = argc > 2 && std::string_view(argv[1]) == "--complete";
    if (completes) {
        ++argv;
        argc -= 2;
    }
    CLI::App app(
        "Learn GPU computing by doing it: pick a lesson, change the launch, see what the GPU did and how "
        "long it took.",
        "gridstride");
    app.set_version_flag("--version", std::string(app_version()));
    // A lesson may have the name of a command; after a command it is a lesson.
    app.require_subcommand(0, 1);

    DesktopOptions desktop;
    app.add_option("lesson", desktop.lesson,
                   "Lesson to open, or a file or folder as if it were dropped on the window. The lessons: " +
                       lesson_ids());
    add_desktop_flags(app, desktop);
    // main() takes them from the arguments of every command; here they are only listed.
    std::string lessons, language;
    app.add_option("--lang", language, "Language of stories and texts; every command takes it");
    app.add_option("--lessons", lessons,
                   "Folder with a lesson.toml, or a folder of such folders; every command takes it");
    add_file_option(app, "--ui-script", desktop.ui_script,
                    "Play this script of clicks, keys and expectations, then quit");
    add_file_option(app, "--ui-map", desktop.ui_map,
                    "Write the ids and rectangles of all visible widgets as JSON");
    add_file_option(app, "--frame-log", desktop.frame_log, "Write one CSV row per frame");

    std::vector<std::pair<CLI::App*, std::function<Command()>>> commands;
    const auto add = [&]<class Options>(const char* name, const char* what, Options& options) -> CLI::App& {
        if (std::ranges::find(command_names, name) == std::end(command_names))
            throw std::logic_error(fmt::format("{} is missing in command_names", name));
        CLI::App* const command = app.add_subcommand(name, what);
        commands.emplace_back(command, [&options, command] { return finish_options(options, *command); });
        if constexpr (std::derived_from<Options, LessonOptions>)
            if (options.lesson_id.empty())
                command->add_option("lesson", options.lesson_id, "The lesson: " + lesson_ids())->required();
        return *command;
    };

    ListOptions list;
    CLI::App& list_command = add("list", "List lessons, variants and parameters", list);
    CLI::Option* const list_json = list_command.add_flag("--json", list.json, "As JSON");
    list_command
        .add_flag("--kernels", list.kernels,
                  "List bindings, push constants and outputs of every kernel, as Markdown")
        ->excludes(list_json);

    DevicesOptions devices;
    CLI::App& devices_command =
        add("devices", "List Vulkan devices and the limits that lessons use", devices);
    devices_command.add_flag("--measure", devices.measure,
                             "Measure the ceilings of each device again: copies, transfers, empty launches");
    devices_command.add_flag("--json", devices.json, "As JSON");

    DoctorOptions doctor;
    CLI::App& doctor_command =
        add("doctor",
            "Check what works on this machine, and give advice. Exit code 0: it can be used, 3: there is no "
            "usable device, 1: another problem",
            doctor);
    doctor_command.add_flag("--json", doctor.json, "As JSON");
    add_device_flag(doctor_command, doctor.device, "examine");

    RunOptions run;
    add_run_command_flags(add("run", "Run a lesson and measure it", run), run, argc, argv);

    RunOptions playground;
    playground.lesson_id = playground_lesson;
    CLI::App& playground_command = add(
        "playground",
        "Run and measure a program of the lesson playground, check its expectations, and write its files. "
        "Exit code 1: an expectation failed",
        playground);
    add_playground_flags(playground_command, playground);
    playground_command.disabled(opens_playground(app, argc, argv));

    SweepOptions sweep;
    add_sweep_flags(add("sweep", "Measure a lesson over one or two parameters and find the best cell", sweep),
                    sweep, argc, argv);

    InspectOptions inspect;
    add_inspect_flags(add("inspect",
                          "Trace what the invocations of a lesson's kernel do on the device, and report "
                          "races, accesses out of bounds and memory use. Exit code 1: a problem was found",
                          inspect),
                      inspect, argc, argv);

    ExplainOptions explain;
    add_explain_flags(
        add("explain",
            "Measure a lesson's kernel, trace it, and list what limits its time and what could be "
            "gained",
            explain),
        explain, argc, argv);

    MakeOptions make;
    add_make_flags(
        add("make",
            "Solve an exercise of a lesson: print the starter, or check your kernel or the setting "
            "that you found. Exit code 0: all requirements are met",
            make),
        make, argc, argv);

    CompareOptions compare;
    CLI::App& compare_command =
        add("compare", "Compare two CSV files of measurements, group by group", compare);
    add_file_option(compare_command, "a", compare.a, "A CSV file of run, sweep or the window")->required();
    add_file_option(compare_command, "b", compare.b, "The CSV file to compare with it")->required();
    compare_command
        .add_option("--column", compare.column,
                    "The times to compare: upload_ns, kernel_ns, download_ns, wall_ns or cpu_ns")
        ->capture_default_str();
    compare_command.add_flag("--json", compare.json, "As JSON");

    CheckOptions check;
    CLI::App& check_command = add(
        "check", "Run every variant over a grid of settings and compare it with its CPU reference", check);
    check_command.add_option("lesson", check.lesson, "The lesson to check. Default: all");
    add_device_flag(check_command, check.device, "compute on");
    add_shard_flag(check_command, check.shard, "variants");
    check_command.add_flag("--full", check.full, "Add runs with millions of elements");

    LessonFolderOptions lesson_folder;
    CLI::App& lesson_command =
        add("lesson", "Write or check a lesson that is a folder of text. Exit code 1: the lesson has errors",
            lesson_folder);
    lesson_command
        .add_option(
            "action", lesson_folder.action,
            "new: write a lesson that works, to start from; check: list every error, without a device; pack: "
            "copy what students get")
        ->required()
        ->check(CLI::IsMember({"new", "check", "pack"}));
    add_file_option(lesson_command, "folder", lesson_folder.folder,
                    "The lesson's folder; for check and pack also a folder of lessons")
        ->required();
    lesson_command.add_flag(
        "--run", lesson_folder.run,
        "After the check, run every variant over a grid of settings, as \"gridstride check\" does");
    lesson_command
        .add_option("--for", lesson_folder.readers,
                    "pack: students get no solutions, and no expectations that are withheld")
        ->type_name("READERS")
        ->check(CLI::IsMember({"students"}));
    add_file_option(lesson_command, "--output", lesson_folder.output,
                    "pack: the folder or the .zip to write. Default: FOLDER_students")
        ->type_name("FOLDER|FILE.zip");
    add_device_flag(lesson_command, lesson_folder.device, "compute on");

    RecordOptions record;
    CLI::App& record_command = add(
        "record", "Run what decides the stories' questions, and write the answers of this device to a file",
        record);
    record_command.add_option("lesson", record.lesson, "The lesson to record. Default: all");
    add_file_option(record_command, "--output", record.output, "The file to write")
        ->type_name("FILE.json")
        ->required();
    add_device_flag(record_command, record.device, "compute on");
    add_deadline_flag(record_command, record.deadline_seconds, "run");

    ProgressOptions progress;
    CLI::App& progress_command =
        add("progress",
            "Export your predictions and kernels to a file, for a teacher or another machine, or import them",
            progress);
    add_file_option(progress_command, "--export", progress.export_file, "Write them to this file")
        ->type_name("FILE.json");
    add_file_option(progress_command, "--import", progress.import_file,
                    "Read them from this file; predictions already decided here stay")
        ->type_name("FILE.json");

    HandInOptions hand_in;
    CLI::App& hand_in_command =
        add("hand-in", "Print what you hand in for an assignment, and write it to a file", hand_in);
    add_assignment_flag(hand_in_command, hand_in.assignment)->required();
    hand_in_command.add_option("--name", hand_in.name, "Your name")->required();
    hand_in_command.add_option("--number", hand_in.number, "Your number in the class")->required();
    hand_in_command
        .add_option(
            "--kernel", hand_in.kernels,
            "Your kernel or program for an exercise, as EXERCISE=FILE. Default: the one of the window")
        ->type_name("FILE");
    add_file_option(hand_in_command, "--output", hand_in.output, "The file to write")
        ->type_name("FILE.json")
        ->required();

    GradeOptions grade;
    CLI::App& grade_command =
        add("grade", "Judge the exercises of hand-ins again, and write a table of grades", grade);
    add_file_option(grade_command, "folder", grade.folder, "The folder of the hand-ins, or a .zip of them")
        ->required();
    add_assignment_flag(grade_command, grade.assignment)->required();
    add_file_option(grade_command, "--csv", grade.csv,
                    "Write one row per student and exercise to this file; rows that it has are kept")
        ->type_name("FILE")
        ->required();
    add_file_option(grade_command, "--report", grade.report, "Write a page for each student to this folder")
        ->type_name("FOLDER");
    grade_command.add_option("--seed", grade.seed, "Seed of all random sizes and inputs. Default: random")
        ->type_name("N");
    add_shard_flag(grade_command, grade.shard, "hand-ins");
    add_device_flag(grade_command, grade.device, "compute on");
    add_deadline_flag(grade_command, grade.deadline_seconds, "run");
    grade_command.add_flag("--json", grade.json, "Print the rows as JSON");

    HandoutOptions handout;
    CLI::App& handout_command =
        add("handout", "Write a lesson as one HTML file, to print or to read without the program", handout);
    handout_command.add_option("lesson", handout.lesson, "The lesson: " + lesson_ids())->required();
    add_file_option(handout_command, "--output", handout.output, "The file to write")
        ->type_name("FILE.html")
        ->required();

    ScreenshotOptions screenshot;
    CLI::App& screenshot_command =
        add("screenshot", "Save the window as a picture, without a display", screenshot);
    screenshot_command.add_option("lesson", screenshot.lesson, "The lesson: " + lesson_ids())->required();
    add_file_option(screenshot_command, "--output", screenshot.output, "The .png to write")->required();
    add_file_option(screenshot_command, "--ui-script", screenshot.ui_script, "Play this script first");
    add_desktop_flags(screenshot_command, screenshot);

    if (completes) {
        print("{}", list_completions(app, {argv + 1, argv + argc}, argv[argc]));
        return std::nullopt;
    }
    if (argc == 2 && std::string_view(argv[1]) == "--man-page") {
        print("{}", make_man_page(app));
        return std::nullopt;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            std::ostringstream answer;
            app.exit(error, answer, answer);
            print("{}", answer.str());
            return std::nullopt;
        }
        if (app.get_subcommands().empty() && !desktop.lesson.empty()) require_lesson(desktop.lesson);
        throw to_refusal(app, error);
    }

    for (const auto& [command, take] : commands)
        if (command->parsed()) return take();
    return finish_options(desktop, app);
}

}  // namespace gridstride::app
