#include "present/trace_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/csv.h"
#include "trace/branches.h"
#include "trace/trace_text.h"

namespace gridstride {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json site_json(const trace::Site& site, std::size_t number, std::uint64_t accesses) {
    return {{"site", number},
            {"kind", trace::name(site.kind)},
            {"file", site.file},
            {"line", site.line},
            {"variable", variable_name(site)},
            {"space", trace::is_access(site) ? Json(trace::name(site.space)) : Json(nullptr)},
            {"bytes", site.bytes},
            {"accesses", accesses}};
}

Json record_json(const trace::Trace& trace, std::span<const trace::Record> records,
                 const std::optional<std::uint64_t>& place) {
    if (!place) return nullptr;
    const trace::Record& record = records[*place];
    const trace::Site& site = trace.sites[record.site];
    return {{"workgroup", record.workgroup},
            {"invocation", record.invocation},
            {"subgroup", record.subgroup},
            {"lane", record.lane},
            {"sequence", record.sequence},
            {"epoch", record.epoch},
            {"site", record.site},
            {"line", site.line},
            {"place", trace::element_text(site, record)},
            {"byte_offset", record.offset},
            {"value", trace::value_text(site, record)}};
}

Json finding_json(const trace::Trace& trace, std::span<const trace::Record> records,
                  const trace::Finding& finding) {
    return {{"id", trace::name(finding.kind)},
            {"status", trace::name(finding.status)},
            {"site", or_null(finding.site)},
            {"other_site", or_null(finding.other_site)},
            {"count", finding.count},
            {"value", or_null(finding.value)},
            {"first", record_json(trace, records, finding.first)},
            {"other", record_json(trace, records, finding.other)},
            {"sentence", finding.sentence}};
}

Json metrics_json(const std::vector<TraceMetric>& metrics) {
    Json json = Json::object();
    for (const TraceMetric& metric : metrics)
        json[metric.name] = {{"value", metric.value ? Json(metric.value->value) : Json(nullptr)},
                             {"or_more", metric.value && metric.value->high > metric.value->value},
                             {"sentence", metric.sentence}};
    return json;
}

Json launch_json(const trace::Trace& trace) {
    return {{"label", trace.launch},  {"number", trace.launch_number},         {"of", trace.launches},
            {"kernel", trace.kernel}, {"workgroup", text_of(trace.workgroup)}, {"grid", text_of(trace.grid)}};
}

Json multiprocessors_json(const trace::Trace& trace) {
    if (trace.placements.empty()) return nullptr;
    Json json = Json::array();
    const std::size_t end = std::min<std::size_t>(trace.last_workgroup + 1, trace.placements.size());
    for (std::size_t workgroup = trace.first_workgroup; workgroup < end; ++workgroup)
        json.push_back(trace.placements[workgroup].multiprocessor);
    return json;
}

}  // namespace

std::string variable_name(const trace::Site& site) {
    return site.variable + site.member;
}

Json trace_json(const Report& report, std::span<const trace::Record> records,
                std::span<const trace::Finding> findings, const std::string& reason) {
    // These keys are the same as in the report of a run without a trace.
    Json json;
    const Json run = to_json(report);
    for (const auto& [key, value] : run.items()) {
        json[key] = value;
        if (key == "compare") break;
    }
    const trace::Trace trace = report.trace.value_or(trace::Trace{});
    const bool has_trace = reason.empty();

    const std::vector<std::uint64_t> accesses = trace::count_executions(trace, records);
    Json sites = Json::array();
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        sites.push_back(site_json(trace.sites[i], i, accesses[i]));
    Json found = Json::array();
    for (const trace::Finding& finding : findings)
        found.push_back(finding_json(trace, records, finding));

    json["launch"] = report.trace ? launch_json(trace) : Json(nullptr);
    json["records"] = records.size();
    json["lost"] = trace.lost;
    json["branches"] = {{"last_workgroup", trace.last_branch_workgroup},
                        {"lost", trace.lost_branches},
                        {"reason", trace.branches_note.empty() ? Json(nullptr) : Json(trace.branches_note)}};
    json["workgroups"] = has_trace ? Json({trace.first_workgroup, trace.last_workgroup}) : Json(nullptr);
    json["whole_launch"] = has_trace && trace.is_whole_launch();
    json["subgroup_size"] = trace.subgroup_size;
    json["banks"] = trace.banks;
    json["multiprocessors"] = multiprocessors_json(trace);
    json["sites"] = sites;
    json["findings"] = found;
    json["metrics"] = metrics_json(report.trace_metrics);
    json["reason"] = has_trace ? Json(nullptr) : Json(reason);
    return json;
}

std::string trace_csv(const trace::Trace& trace, std::span<const trace::Record> records) {
    std::string text =
        "workgroup,invocation,subgroup,lane,sequence,epoch,site,kind,file,line,variable,byte_offset,bytes,"
        "value\r\n";
    std::vector<std::string> site_columns;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        std::string record = format_csv_record({fmt::format("{}", i), std::string(trace::name(site.kind)),
                                                escape_csv_text(site.file), fmt::format("{}", site.line),
                                                escape_csv_text(variable_name(site))});
        record.resize(record.size() - 2);  // its end of line
        site_columns.push_back(std::move(record));
    }
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n", record.workgroup, record.invocation,
                            record.subgroup, record.lane, record.sequence, record.epoch,
                            site_columns[record.site], record.offset, site.bytes,
                            trace::value_text(site, record));
    }
    return text;
}

}  // namespace gridstride
