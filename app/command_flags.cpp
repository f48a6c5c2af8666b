#include "command_flags.h"

#include <fmt/format.h>

#include <ranges>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "story/story.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::app {

namespace {

Refusal make_unknown_lesson_refusal(const std::string& id) {
    return Refusal(fmt::format(
        "There is no lesson named \"{}\". The lessons are: {}. \"gridstride --help\" lists the commands.", id,
        lesson_ids()));
}

/// Returns null if there is no such lesson. Throws Refusal if the folder of the lesson has errors: a command
/// must not use the lesson that ships in place of the one that it was given.
const CourseEntry* find_lesson_entry(const std::string& id) {
    for (const std::shared_ptr faulty = text_lesson::faulty_lessons();
         const text_lesson::FolderLesson& lesson : *faulty)
        if (lesson.id() == id && !text_lesson::is_loaded(lesson))
            throw Refusal(fmt::format("The lesson \"{}\" in {} was not loaded. Mend the errors named above.",
                                      id, quote_path(lesson.folder)));
    return find_course_entry(id);
}

bool takes_value(const CLI::App& command, const std::string& argument) {
    const bool is_flag = argument.starts_with('-') && argument.find('=') == std::string::npos;
    const CLI::Option* known = is_flag ? command.get_option_no_throw(argument) : nullptr;
    return is_flag && (!known || known->get_items_expected_max() > 0);
}

/// Returns the lesson after a command's name, since its options must be defined before the rest can be
/// parsed. `command` has the options that all lessons share; any other option is assumed to take a value.
const Lesson* find_lesson_argument(const CLI::App& command, int argc, const char* const* argv) {
    if (argc < 3 || command.get_name() != argv[1]) return nullptr;
    for (int i = 2; i < argc; ++i) {
        if (const CourseEntry* entry = find_lesson_entry(argv[i])) return entry->lesson;
        if (takes_value(command, argv[i])) ++i;
    }
    if (argv[2][0] != '-') throw make_unknown_lesson_refusal(argv[2]);
    return nullptr;
}

/// Words for the help of options that several commands share.
struct HelpWords {
    const char* name;     ///< "run", "cell"
    const char* samples;  ///< what is measured repeatedly
    const char* json;     ///< what is printed
    const char* values;   ///< what a parameter accepts besides one value
};

void add_variant_flag(CLI::App& app, LessonOptions& options) {
    app.add_option("--variant", options.variants, "The variant to run; several separated by commas, or all")
        ->delimiter(',');
}

void add_lesson_flags(CLI::App& app, const HelpWords& help, LessonOptions& options) {
    add_device_flag(app, options.device, "compute on");
    add_deadline_flag(app, options.deadline_seconds, help.name);
    app.add_flag("--json", options.json, fmt::format("Print {} as JSON", help.json));
}

void add_measuring_flags(CLI::App& app, const HelpWords& help, MeasureOptions& options) {
    add_lesson_flags(app, help, options);
    app.add_option(
           "--samples", options.samples,
           fmt::format("How many times to measure{}, or auto: until the median has converged", help.samples))
        ->capture_default_str();
    add_file_option(app, "--csv", options.csv, "Write one row per sample to this file; - is stdout")
        ->type_name("FILE");
}

/// Accepts numbers of type Number from `min` to `max`. `what` names them in the message: "seconds".
template <class Number>
CLI::Validator number_between(Number min, Number max, std::string what) {
    const auto check = [min, max, what = std::move(what)](const std::string& text) {
        Number number = 0;
        const bool is_valid = CLI::detail::lexical_cast(text, number) && number >= min && number <= max;
        return is_valid ? std::string()
                        : fmt::format("{} cannot be used: give {} from {} to {}", text, what, min, max);
    };
    return {check, "", "range"};
}

void add_user_file_flags(CLI::App& app, const Lesson* lesson, UserFiles& own) {
    const bool takes_programs = lesson && lesson->has_programs();
    add_file_option(app, "--kernel", own.kernel,
                    takes_programs ? "Your own program, which replaces the variant's"
                                   : "Your own kernel in GLSL, which replaces the variant's")
        ->type_name(takes_programs ? "FILE" : "FILE.comp");
    const bool has_endings = lesson && !lesson->input_files.empty();
    add_file_option(app, "--input", own.input,
                    "Your own data, which replaces the lesson's input" +
                        (has_endings ? fmt::format(": {}", join(lesson->input_files, ", ")) : ""))
        ->type_name("FILE");
    app.add_option(
           "--column", own.choice.column,
           "Column of a .csv or .txt with several columns of numbers: a heading, a number from 1, or all")
        ->type_name("NAME|N|all");
    app.add_option_function<std::string>(
           "--header", [&own](const std::string& answer) { own.choice.has_header = answer == "yes"; },
           "Whether the first line of a .csv or .txt names its columns. Default: depends on its contents")
        ->check(CLI::IsMember({"yes", "no"}));
    app.add_option("--channel", own.choice.channel, "Channel of a .wav with several channels, from 1")
        ->type_name("N")
        ->check(number_between(1, 65'535, "a whole number"));
    app.add_option_function<std::string>(
           "--wav-scale", [&own](const std::string&) { own.choice.wav_counts = true; },
           "counts: read the samples of a .wav as stored, including floats beyond 1. Default: fractions of "
           "full scale, converted to 16 bits")
        ->check(CLI::IsMember({"counts"}));
}

void add_parameter_flags(CLI::App& app, const Lesson* lesson, const HelpWords& help, LessonOptions& options) {
    if (!lesson) return;
    if (CLI::Option* const variant = app.get_option_no_throw("--variant"))
        variant->type_name(
            fmt::format("{{{},all}}", join(lesson->variants | std::views::transform(&Variant::id), ",")));
    for (const Parameter& parameter : lesson->parameters)
        options.flags.push_back({&parameter, ""});
    for (auto& [declared, text] : options.flags) {
        const Parameter& parameter = *declared;
        CLI::Option* const option = app.add_option("--" + kebab_case(parameter.id), text,
                                                   fmt::format("{} Allowed: {}. Default: {}.", parameter.help,
                                                               describe_range(parameter, nullptr),
                                                               format(parameter, parameter.default_value)))
                                        ->group("Parameters of " + lesson->id + help.values);
        if (parameter.is_choice())
            option->type_name(fmt::format(
                "{{{}}}", join(parameter.choices | std::views::transform(&Parameter::Choice::id), ",")));
    }
}

/// Must be called after all other options are added: finding the lesson needs them.
void add_lesson_argument_flags(CLI::App& app, int argc, const char* const* argv, const HelpWords& help,
                               LessonOptions& options, UserFiles& own) {
    const Lesson* const lesson = find_lesson_argument(app, argc, argv);
    add_user_file_flags(app, lesson, own);
    add_parameter_flags(app, lesson, help, options);
}

constexpr HelpWords run_help_words{"run", "", "the report", ""};

void add_run_flags(CLI::App& run, RunOptions& options) {
    run.add_option(
           "--cache", options.cache,
           "warm: repeat the kernel over one set of buffers; cold: over copies that together exceed the "
           "last-level cache")
        ->check(CLI::IsMember({"warm", "cold"}))
        ->capture_default_str();
    run.add_flag("--unbatched", options.is_unbatched,
                 "Time a single launch per sample, however short, so that it includes the cost of a launch. "
                 "Default: short kernels are repeated until they take a millisecond");
    add_file_option(run, "--save-input", options.save_input, "Write the input as .npy")
        ->type_name("FILE.npy");
    add_file_option(run, "--save-output", options.save_output, "Write the variant's main output as .npy")
        ->type_name("FILE.npy");
    add_measuring_flags(run, run_help_words, options);
}

}  // namespace

std::string lesson_ids() {
    std::set<std::string> ids;
    for (const CourseEntry& entry : course())
        ids.insert(entry.id);
    return join(ids, ", ");
}

const CourseEntry& require_lesson(const std::string& id) {
    if (const CourseEntry* entry = find_lesson_entry(id)) return *entry;
    throw make_unknown_lesson_refusal(id);
}

void require_story_language(const std::string& language) {
    const std::vector<std::string> languages = story_languages();
    if (std::ranges::find(languages, language) == languages.end())
        throw Refusal(fmt::format("--lang {} cannot be used: no story exists in it. Give {}.", language,
                                  join(languages, " or ")));
}

CLI::Option* add_file_option(CLI::App& app, const std::string& name, std::string& file,
                             const std::string& what) {
    const auto refuse_other = [name](const std::string& text) {
        if (text.empty())
            throw Refusal(fmt::format("{} needs the name of a file, but its value is empty. Give a name{}.",
                                      name,
                                      name.starts_with("--") ? fmt::format(", or leave {} out", name) : ""));
        if (text.starts_with("--"))
            throw Refusal(fmt::format(
                "{} needs a file, but {} looks like an option. For a file of that name, give ./{}.", name,
                text, text));
        return std::string();
    };
    return app.add_option(name, file, what)->check(CLI::Validator(refuse_other, "", "file"));
}

CLI::Option* add_assignment_flag(CLI::App& app, std::string& file) {
    return add_file_option(app, "--assignment", file, "The assignment.toml, or the folder that holds it")
        ->type_name("FILE");
}

void add_shard_flag(CLI::App& app, Shard& shard, std::string_view items) {
    const auto read = [&shard](const std::string& text) {
        const auto parts = split(text, '/');
        const auto index = parse_number<std::size_t>(parts.front()),
                   count = parse_number<std::size_t>(parts.back());
        if (parts.size() != 2 || !index || !count || *index < 1 || *index > *count)
            throw Refusal("--shard {} cannot be used. Give I/N, such as 1/4, where I is from 1 to N.",
                          quote_text(text));
        shard = {*index, *count};
    };
    app.add_option_function<std::string>(
           "--shard", read,
           fmt::format("Do part I of N of the {}. The rows of all parts are those of one run", items))
        ->type_name("I/N");
}

void add_device_flag(CLI::App& app, std::string& device, std::string_view to) {
    app.add_option("--device", device,
                   fmt::format("GPU to {}: an index or a part of its name (see \"gridstride devices\")", to));
}

/// The limit of one day keeps the clock's arithmetic from overflowing.
void add_deadline_flag(CLI::App& app, double& seconds, std::string_view what) {
    app.add_option(
           "--deadline", seconds,
           fmt::format("Seconds, including compilation, after which a {} is aborted. Default: 60, on a "
                       "software device 120",
                       what))
        ->type_name("SECONDS")
        ->check(number_between(0.001, 86400.0, "seconds"));
}

void add_desktop_flags(CLI::App& app, DesktopOptions& options) {
    add_assignment_flag(app, options.assignment_path);
    app.add_option("--step", options.step, "Step of the story to open: its number, from 1, or its id");
    app.add_option("--theme", options.theme, "Colours")->check(CLI::IsMember({"dark", "light"}));
    app.add_option("--scale", options.scale, "Scale of the window's contents, from 0.5 to 4; 1 = 100 %")
        ->check(number_between(0.5, 4.0, "a number"));
    add_device_flag(app, options.device, "compute on");
    add_deadline_flag(app, options.deadline_seconds, "run");
    app.add_option("--size", options.size, "Width x height in pixels")->capture_default_str();
}

void add_run_command_flags(CLI::App& run, RunOptions& options, int argc, const char* const* argv) {
    run.add_flag("--tuned", options.tuned,
                 "Use the best launch that a sweep found for this variant, size and device. Options that you "
                 "give win");
    run.add_flag("--print-kernel", options.print_kernel,
                 "Print the variant's kernel, which you can edit and give to --kernel, and run nothing");
    add_variant_flag(run, options);
    add_run_flags(run, options);
    add_lesson_argument_flags(run, argc, argv, run_help_words, options, options);
}

void add_playground_flags(CLI::App& playground, RunOptions& options) {
    add_file_option(playground, "file", options.kernel, "The program")->required();
    add_run_flags(playground, options);
    add_parameter_flags(playground, find_lesson(playground_lesson), run_help_words, options);
    options.saves_files = true;
}

bool opens_playground(const CLI::App& app, int argc, const char* const* argv) {
    int i = 1;
    while (i < argc && argv[i][0] == '-')
        i += takes_value(app, argv[i]) ? 2 : 1;
    if (i >= argc || std::string_view(argv[i]) != playground_lesson) return false;
    if (i + 1 == argc) return true;
    const std::string_view next = argv[i + 1];
    return next.starts_with("-") && next != "-h" && next != "--help";
}

void add_inspect_flags(CLI::App& inspect, InspectOptions& options, int argc, const char* const* argv) {
    inspect
        .add_option("--workgroups", options.workgroups,
                    "The first and the last workgroup to trace, from 0. Default: from the first, as many as "
                    "fit")
        ->type_name("FIRST:LAST");
    inspect.add_option("--launch", options.launch, "Which launch of the variant to trace, from 0")
        ->type_name("N")
        ->capture_default_str();
    add_file_option(inspect, "--trace", options.trace, "Write all records to this file, one per row")
        ->type_name("FILE.csv");
    constexpr HelpWords help{"run", "", "the trace and its findings", ""};
    add_variant_flag(inspect, options);
    add_lesson_flags(inspect, help, options);
    add_lesson_argument_flags(inspect, argc, argv, help, options, options);
}

void add_explain_flags(CLI::App& explain, ExplainOptions& options, int argc, const char* const* argv) {
    constexpr HelpWords help{"run", "", "what limits the run", ""};
    add_variant_flag(explain, options);
    add_lesson_flags(explain, help, options);
    add_lesson_argument_flags(explain, argc, argv, help, options, options);
}

void add_sweep_flags(CLI::App& sweep, SweepOptions& options, int argc, const char* const* argv) {
    constexpr HelpWords help{"cell", " each cell", "the cells, the best cell and advice",
                             ": one value, or for one or two of them a list (32,64,96) or a range "
                             "(1000:1000000:×10, 0:100:10)"};
    add_variant_flag(sweep, options);
    add_measuring_flags(sweep, help, options);
    add_shard_flag(sweep, options.shard,
                   "the longest of these lists: the variants, and the values of each swept parameter");
    add_parameter_flags(sweep, find_lesson_argument(sweep, argc, argv), help, options);
}

void add_make_flags(CLI::App& make, MakeOptions& options, int argc, const char* const* argv) {
    make.add_option("--step", options.step,
                    "The step: its number, from 1, or its id. Default: the first step with an exercise")
        ->type_name("N");
    add_file_option(make, "--kernel", options.kernel, "Your kernel. Default: print the starter")
        ->type_name("FILE.comp");
    constexpr HelpWords help{"run", "", "the requirements and their results",
                             ", for exercises that ask for a setting"};
    add_variant_flag(make, options);
    add_lesson_flags(make, help, options);
    add_parameter_flags(make, find_lesson_argument(make, argc, argv), help, options);
}

}  // namespace gridstride::app
