#include "present/report_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/csv.h"
#include "base/file.h"
#include "present/report_json.h"

namespace gridstride {

namespace {

std::string time_field(const Timing& timing, std::size_t sample) {
    return sample < timing.samples.size() ? fmt::format("{:.3f}", timing.samples[sample]) : std::string();
}

/// Replaces the separators of "name=value;name=value" in a file's name, so that programs can split the list.
std::string escape_name(std::string name) {
    for (const char sign : {';', '='})
        std::replace(name.begin(), name.end(), sign, '_');
    return name;
}

/// Lists the parameters without a column, then what else distinguishes measurements: the user's input and
/// kernel, cold caches, and unbatched timing.
std::string parameter_list(const Lesson& lesson, const Report& report) {
    const Values& values = report.experiment.values;
    std::string text;
    const auto add = [&text](std::string_view name, std::string_view value) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, value);
    };
    for (const Parameter* parameter : parameters_without_column(lesson))
        if (values.contains(parameter->id)) add(parameter->id, format(*parameter, values.at(parameter->id)));
    if (!report.experiment.input.name.empty()) {
        add(input_name_parameter, escape_name(report.experiment.input.name));
        add("input_crc32", report.experiment.input.checksum);
    }
    if (!report.kernel_name().empty()) add("kernel", escape_name(report.kernel_name()));
    if (report.cache.is_cold) add("cache", "cold");
    if (report.timings.is_unbatched) add("batch", "1");
    return text;
}

/// Returns the length of the longest series. There may be many more kernel times than whole runs.
std::size_t sample_count(const Timings& t) {
    std::size_t samples = 0;
    for (const Timing* timing : {&t.upload, &t.kernel, &t.download, &t.wall, &t.cpu})
        samples = std::max(samples, timing->samples.size());
    return samples;
}

}  // namespace

std::vector<const Parameter*> parameters_without_column(const Lesson& lesson) {
    std::vector<const Parameter*> found;
    for (const Parameter& parameter : lesson.parameters)
        if (parameter.id != key::elements.id && parameter.id != key::workgroup_size.id &&
            parameter.id != key::workgroup_count.id)
            found.push_back(&parameter);
    return found;
}

std::size_t csv_row_count(const Report& report) {
    return std::max<std::size_t>(sample_count(report.timings), 1);
}

std::string csv_header() {
    return format_csv_record(
        {"schema_version", "run_id",     "timestamp_utc", "app_version", "device_name",    "driver_version",
         "is_cpu_device",  "lesson",     "variant",       "elements",    "workgroup_size", "workgroup_count",
         "dispatches",     "parameters", "sample",        "upload_ns",   "kernel_ns",      "download_ns",
         "wall_ns",        "cpu_ns",     "bytes_moved",   "status",      "message"});
}

std::string csv_rows(const Report& report) {
    const Lesson* lesson = find_lesson(report.experiment);
    const std::string parameters = lesson ? parameter_list(*lesson, report) : std::string();
    // The grid that ran, not "auto"; a refused run has none.
    const std::string workgroups =
        report.launch.workgroup_count() > 0 ? fmt::format("{}", report.launch.workgroup_count()) : "";
    // These columns hold products of extents; the extents are among the parameters.
    const Values& values = report.experiment.values;
    const std::string elements = lesson ? fmt::format("{}", lesson->domain_extent(values).product()) : "";
    const std::string size = lesson ? fmt::format("{}", requested_workgroup(values).product()) : "";
    const std::size_t samples = sample_count(report.timings);
    std::string rows;
    for (std::size_t sample = 0; sample < csv_row_count(report); ++sample) {
        rows += format_csv_record(
            {fmt::format("{}", schema_version),
             report.run_id,
             report.started_utc,
             std::string(app_version()),
             escape_csv_text(report.device.device_name),
             escape_csv_text(report.device.driver_version),
             report.device.is_cpu ? "true" : "false",
             escape_csv_text(report.experiment.lesson),
             escape_csv_text(report.experiment.variant),
             elements,
             size,
             workgroups,
             report.launch.dispatches > 0 ? fmt::format("{}", report.launch.dispatches) : "",
             escape_csv_text(parameters),
             samples > 0 ? fmt::format("{}", sample) : "",
             time_field(report.timings.upload, sample),
             time_field(report.timings.kernel, sample),
             time_field(report.timings.download, sample),
             time_field(report.timings.wall, sample),
             time_field(report.timings.cpu, sample),
             fmt::format("{}", report.bytes_moved),
             std::string(name(report.status)),
             escape_csv_text(report.message)});
    }
    return rows;
}

std::size_t csv_row_count(const Reports& reports) {
    std::size_t rows = 0;
    for (const auto& report : reports)
        rows += csv_row_count(*report);
    return rows;
}

CsvText make_csv(const Reports& reports, FileProgress* progress) {
    CsvText csv{.text = csv_header(), .rows = csv_row_count(reports)};
    for (const auto& report : reports) {
        csv.text += csv_rows(*report);
        if (progress) progress->advance(0);
    }
    return csv;
}

}  // namespace gridstride
