#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/units.h"
#include "commands.h"
#include "present/compare.h"
#include "present/verdict_text.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;

/// Indexed by Difference.
constexpr const char* difference_names[] = {"no_difference", "faster", "slower", "unknown"};

Json file_json(const TimesFile& file) {
    Json devices = Json::array();
    for (const DeviceName& device : file.devices)
        devices.push_back({{"name", device.name}, {"driver", device.driver}, {"is_cpu", device.is_cpu}});
    return {{"file", file.name},
            {"devices", devices},
            {"rows", file.rows},
            {"rows_not_ok", file.rows_not_ok},
            {"rows_without", file.rows_without_time}};
}

Json measured_json(const MeasurementKey& what) {
    return {{"lesson", what.lesson},
            {"variant", what.variant},
            {"elements", what.elements},
            {"workgroup_size", what.workgroup_size},
            {"workgroup_count", what.workgroup_count},
            {"parameters", what.parameters}};
}

Json interval_json(const Summary& interval) {
    return {{"median", interval.median},
            {"low", interval.low},
            {"high", interval.high},
            {"confidence", interval.confidence},
            {"samples", interval.count}};
}

Json group_json(const ComparedGroup& group) {
    Json entry = measured_json(group.what);
    entry["workgroup_count_b"] = group.workgroup_count_b;
    entry["a"] = interval_json(group.a);
    entry["b"] = interval_json(group.b);
    entry["ratio"] = nullptr;
    if (group.b_over_a.value > 0)
        entry["ratio"] = {
            {"value", group.b_over_a.value}, {"low", group.b_over_a.low}, {"high", group.b_over_a.high}};
    entry["difference"] = difference_names[static_cast<std::size_t>(group.difference)];
    return entry;
}

Json comparison_json(const TimesFile& a, const TimesFile& b, const FileComparison& comparison,
                     const std::string& column) {
    Json groups = Json::array(), only_a = Json::array(), only_b = Json::array();
    for (const ComparedGroup& group : comparison.groups)
        groups.push_back(group_json(group));
    for (const MeasurementKey& what : comparison.only_a)
        only_a.push_back(measured_json(what));
    for (const MeasurementKey& what : comparison.only_b)
        only_b.push_back(measured_json(what));
    return {{"schema_version", schema_version},
            {"column", column},
            {"a", file_json(a)},
            {"b", file_json(b)},
            {"drift", comparison.drift ? Json(*comparison.drift) : Json(nullptr)},
            {"groups", groups},
            {"unmatched", {{"a", only_a}, {"b", only_b}}}};
}

void print_file(const char* letter, const TimesFile& file) {
    print("{}  {}: {}\n", letter, file.name, row_counts_text(file));
    for (const DeviceName& device : file.devices)
        print("   {}, {}\n", describe_device(device.name, device.is_cpu), device.driver);
    if (file.devices.size() > 1)
        print("   The file has {} devices; times of the same settings are combined in one group.\n",
              file.devices.size());
}

void print_groups(const FileComparison& comparison) {
    std::string parameters = comparison.groups.empty() ? "" : comparison.groups.front().what.parameters;
    print("\n{:<16} {:<18} {:>13} {:>9} {:>13} {:>11} {:>11} {:>7}  {:<26} {}\n", "lesson", "variant",
          "elements", "workgroup", "grid", "a µs", "b µs", "b / a", "b against a", "");
    for (const ComparedGroup& group : comparison.groups) {
        const DifferenceText words = describe_difference(group.b_over_a, group.difference);
        print("{:<16} {:<18} {:>13} {:>9} {:>13} {:>11} {:>11} {:>7}  {:<26} {}{}\n", group.what.lesson,
              group.what.variant, format_count(group.what.elements), format_count(group.what.workgroup_size),
              grids_text(group), format_significant(group.a.median / 1e3),
              format_significant(group.b.median / 1e3),
              group.b_over_a.value > 0 ? format_significant(group.b_over_a.value) : "", words.percent,
              words.verdict, group.what.parameters == parameters ? "" : "  [" + group.what.parameters + "]");
    }
    if (!parameters.empty()) print("Parameters of rows that name none: {}\n", parameters);
}

void print_unmatched(const char* letter, const std::vector<MeasurementKey>& groups) {
    constexpr std::size_t max_listed = 12;
    if (groups.empty()) return;
    print("\nOnly in {}:\n", letter);
    for (std::size_t i = 0; i < std::min(max_listed, groups.size()); ++i)
        print("  {}\n", groups[i].text());
    if (groups.size() > max_listed)
        print("  and {} more; --json lists all of them\n", groups.size() - max_listed);
}

}  // namespace

int run_command(const CompareOptions& options) {
    const TimesFile a = read_times(options.a, options.column);
    const TimesFile b = read_times(options.b, options.column);
    const FileComparison comparison = compare(a, b);
    if (comparison.groups.empty()) throw Refusal(explain_no_common_groups(a, b));
    if (options.json) {
        print("{}\n", comparison_json(a, b, comparison, options.column).dump());
        return exit_success;
    }
    print("{}\n", options.column);
    print_file("a", a);
    print_file("b", b);
    print_groups(comparison);
    print("\n{}\n", comparison_summary_text(comparison));
    print_unmatched("a", comparison.only_a);
    print_unmatched("b", comparison.only_b);
    return exit_success;
}

}  // namespace gridstride::app
