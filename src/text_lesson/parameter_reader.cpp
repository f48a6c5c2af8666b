#include "text_lesson/parameter_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridstride::text_lesson {

namespace {

constexpr std::uint64_t max_extent = std::uint64_t{1} << 30;

constexpr NamedValue<Scale> scales[] = {
    {"linear", Scale::linear}, {"log", Scale::logarithmic}, {"powers_of_two", Scale::powers_of_two}};

void read_range(TomlTable& table, Parameter& parameter) {
    for (const char* const name : {"default", "min", "max"})
        if (!table.has(name))
            table.add_error(name, fmt::format("[[parameter]] has no {}. Add a number, or choices.", name));
    const double value = table.number("default").value_or(0);
    parameter.minimum = table.number("min").value_or(value);
    parameter.maximum = table.number("max").value_or(value);
    const auto is_whole = [](double number) { return number >= 0 && number == std::trunc(number); };
    const bool is_count = is_whole(value) && is_whole(parameter.minimum) && is_whole(parameter.maximum);
    if (is_count)
        parameter.default_value = static_cast<std::uint64_t>(value);
    else
        parameter.default_value = value;
    if (!(parameter.minimum <= value && value <= parameter.maximum))
        table.add_error("default", fmt::format("default = {} is not between min = {} and max = {}.", value,
                                               parameter.minimum, parameter.maximum));
    const double limit =
        is_count ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<float>::max();
    if (std::max(std::abs(parameter.minimum), std::abs(parameter.maximum)) > limit)
        table.add_error("max", fmt::format("max = {} is too large; kernels get 32 bits. Use at most {}.",
                                           parameter.maximum, limit));
}

constexpr std::string_view common_parameter_ids[] = {
    key::elements.id,  key::workgroup_size.id, key::workgroup_count.id,
    key::workgroup.id, key::grid.id,           key::seed.id};

/// The options of commands that take a lesson's parameters, which are options, too.
constexpr std::string_view option_ids[] = {
    "cache",  "channel",   "column",       "csv",     "deadline",   "device",      "full",    "header",
    "help",   "input",     "json",         "kernel",  "lang",       "launch",      "lessons", "memory",
    "output", "precision", "print_kernel", "samples", "save_input", "save_output", "shard",   "step",
    "trace",  "tuned",     "unbatched",    "variant", "wav_scale",  "workgroups"};

Parameter read_parameter(TomlTable& table, Identifiers& identifiers) {
    Parameter parameter{.id = table.required_text("id"),
                        .label = table.required_local_text("label"),
                        .unit = table.local_text("unit"),
                        .help = table.local_text("help"),
                        .default_value = std::uint64_t{1},
                        .invalidates = Invalidates::reference};
    identifiers.add(table, "id", parameter.id);
    if (std::ranges::count(option_ids, parameter.id) > 0)
        table.add_error("id",
                        fmt::format("A parameter cannot have the id {}, which is an option of commands. Use "
                                    "another id.",
                                    parameter.id));
    if (table.has("choices")) {
        for (const auto& [id, label] : table.named_local_texts("choices"))
            parameter.choices.push_back({id, label.text});
        const std::string chosen =
            table.text("default", parameter.choices.empty() ? "" : parameter.choices[0].id);
        const auto found = std::ranges::find(parameter.choices, chosen, &Parameter::Choice::id);
        const bool is_found = found != parameter.choices.end();
        if (!is_found)
            table.add_error("default",
                            fmt::format("default = {} is not one of the choices.", quote_text(chosen)));
        if (!parameter.choices.empty())
            parameter.default_value =
                ChoiceIndex{is_found ? static_cast<std::uint32_t>(found - parameter.choices.begin()) : 0};
    } else {
        read_range(table, parameter);
    }
    parameter.scale = read_choice(table, "scale", scales);
    table.refuse_unknown_keys();
    return parameter;
}

}  // namespace

void read_parameters(TomlTable& root, Identifiers& identifiers, LessonText& lesson) {
    std::vector<Parameter> own, domain;
    for (const TomlText& id : root.expressions("domain"))
        lesson.domain.push_back(id.text);
    for (const std::string_view id : common_parameter_ids)
        identifiers.add_known(std::string(id));
    if (lesson.domain.size() > 3) {
        root.add_error("domain", "The domain has at most three parameters.");
        lesson.domain.resize(3);
    }
    for (TomlTable& table : root.tables("parameter")) {
        Parameter parameter = read_parameter(table, identifiers);
        (std::ranges::find(lesson.domain, parameter.id) == lesson.domain.end() ? own : domain)
            .push_back(std::move(parameter));
    }
    std::erase_if(lesson.domain, [&](const std::string& id) {
        const auto found = std::ranges::find(domain, id, &Parameter::id);
        if (found != domain.end() && std::holds_alternative<std::uint64_t>(found->default_value))
            return false;
        root.add_error("domain",
                       found == domain.end()
                           ? fmt::format("The domain names {}, but there is no such [[parameter]].", id)
                           : fmt::format("The domain names {}, whose values are not whole numbers.", id));
        return true;
    });
    const std::uint64_t elements = root.whole_number("elements", 1, max_extent).value_or(65536);
    std::vector<std::uint64_t> workgroup;
    for (const TomlText& extent : root.expressions("workgroup"))
        workgroup.push_back(parse_number<std::uint64_t>(extent.text).value_or(0));
    const bool is_one_dimensional = lesson.domain.size() < 2;
    if (workgroup.empty())
        workgroup = is_one_dimensional ? std::vector<std::uint64_t>{128} : std::vector<std::uint64_t>{16, 16};
    workgroup.resize(std::max<std::size_t>(lesson.domain.size(), 1), 1);
    if (std::ranges::count(workgroup, 0U) > 0)
        root.add_error("workgroup", "workgroup must be a list of whole numbers from 1, such as [16, 16].");
    std::ranges::replace(workgroup, 0U, 1U);
    if (is_one_dimensional) {
        lesson.domain = {std::string(key::elements.id)};
        std::ranges::move(domain, std::back_inserter(own));
        lesson.parameters = common_parameters(elements, workgroup[0], std::move(own));
    } else {
        lesson.parameters = common_parameters(
            std::move(domain), Extent{workgroup[0], workgroup[1], workgroup.size() > 2 ? workgroup[2] : 0},
            std::move(own));
    }
}

}  // namespace gridstride::text_lesson
