#include "declared_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "story/story.h"

namespace gridstride::app {

namespace {

/// Without a filter, CLI11 returns only the command that was parsed.
std::vector<const CLI::App*> commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Lists the choices of an option: "TEXT:{dark,light}" becomes "dark\nlight\n".
std::string list_choices(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{');
    if (open == std::string::npos) return "";
    std::string choices = type.substr(open + 1);
    std::ranges::replace(choices, ',', '\n');
    std::ranges::replace(choices, '}', '\n');
    return choices;
}

/// roff takes a point at the beginning for a command, and prints another character for a plain hyphen.
std::string escape_roff(std::string_view text) {
    std::string escaped = "\\&";
    for (const char character : text) {
        if (character == '\\' || character == '-') escaped += '\\';
        escaped += character;
    }
    return escaped;
}

std::string make_entry(std::string_view term, std::string_view text) {
    return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escape_roff(term), escape_roff(text));
}

std::string make_option_entries(const CLI::App& command) {
    const CLI::Formatter help;
    std::string text;
    for (const CLI::Option* option : command.get_options())
        text += make_entry(
            help.make_option_name(option, option->get_positional()) + help.make_option_opts(option),
            option->get_description());
    return text;
}

}  // namespace

std::string list_completions(const CLI::App& app, std::span<const char* const> words,
                             std::string_view begun) {
    const CLI::App* command = &app;
    for (const CLI::App* one : commands(app))
        if (!words.empty() && one->get_name() == words.front()) command = one;
    if (!words.empty() && words.back()[0] == '-')
        if (const CLI::Option* option = command->get_option_no_throw(words.back());
            option && option->get_items_expected_max() > 0)
            return list_choices(*option);
    std::string found;
    if (begun.starts_with('-')) {
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames())
                found += "--" + name + "\n";
        return found;
    }
    if (words.empty())
        for (const CLI::App* one : commands(app))
            found += one->get_name() + "\n";
    for (const CLI::Option* option : command->get_options())
        if (option->get_positional()) found += list_choices(*option);
    if (command->get_option_no_throw("lesson") && std::ranges::none_of(words, find_course_entry))
        for (const CourseEntry& entry : course())
            found += entry.id + "\n";
    return found;
}

std::string make_man_page(const CLI::App& app) {
    std::string page = fmt::format(
        R"(.TH GRIDSTRIDE 1 "" "gridstride {}" "User Commands"
.SH NAME
gridstride \- learn GPU computing by doing it
.SH SYNOPSIS
\fBgridstride\fR [\fIlesson\fR] [\fIoptions\fR]
.br
\fBgridstride\fR \fIcommand\fR [\fIoptions\fR]
.SH DESCRIPTION
{}
Without a command, it opens the window.
.SH OPTIONS
{}.SH COMMANDS
)",
        app_version(), escape_roff(app.get_description()), make_option_entries(app));
    for (const CLI::App* command : commands(app))
        page += fmt::format(".SS {}\n{}\n{}", command->get_name(), escape_roff(command->get_description()),
                            make_option_entries(*command));
    page +=
        ".SH LESSONS\nEach parameter of a lesson is an option. \"gridstride run \\fIlesson\\fR \\-\\-help\" "
        "describes them.\n";
    for (const CourseEntry& entry : course())
        page += make_entry(entry.id, fmt::format("{} Parameters: {}.", entry.head.question,
                                                 join(entry.lesson->parameters |
                                                          std::views::transform([](const Parameter& one) {
                                                              return "--" + kebab_case(one.id);
                                                          }),
                                                      ", ")));
    return page + R"(.SH EXIT STATUS
.TP
0
Success.
.TP
1
A result differs from its reference, or a check failed.
.TP
2
The command line is wrong, a value is outside what the lesson or the device allows, or there is no display.
.TP
3
There is no usable Vulkan device.
.TP
4
The run failed, was stopped, or passed its deadline.
.TP
5
A file or stdout cannot be read or written.
.SH SEE ALSO
The manual is in /usr/share/gridstride/manual, and in the window under F1.
)";
}

}  // namespace gridstride::app
