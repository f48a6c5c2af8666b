#include "lesson/report.h"

namespace gridstride {

std::string_view name(Status status) {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::mismatch:
            return "mismatch";
        case Status::failed:
            return "failed";
        case Status::timed_out:
            return "timed_out";
        case Status::refused:
            return "refused";
    }
    return "failed";
}

double Report::bytes_per_second() const {
    const double kernel_ns = timings.kernel.samples.empty() ? 0 : timings.kernel.summary().median;
    return kernel_ns > 0 ? static_cast<double>(bytes_moved) / kernel_ns * 1e9 : 0;
}

std::optional<double> Report::fraction_of_copy_ceiling() const {
    const double measured = bytes_per_second();
    if (!copy_ceiling || *copy_ceiling <= 0 || measured <= 0) return std::nullopt;
    return measured / *copy_ceiling;
}

namespace {

std::optional<double> median_of(const Timing& timing) {
    if (timing.samples.empty()) return std::nullopt;
    return timing.summary().median;
}

std::optional<double> fact_number(const Fact& fact) {
    if (const auto* count = std::get_if<std::uint64_t>(&fact.value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&fact.value)) return *real;
    const auto& array = std::get<ArrayRef>(fact.value);
    return array ? static_cast<double>(array->count()) : 0.0;
}

}  // namespace

std::optional<double> metric(const Report& report, std::string_view name) {
    const Timings& timings = report.timings;
    if (name == "upload_ns") return median_of(timings.upload);
    if (name == "kernel_ns") return median_of(timings.kernel);
    if (name == "download_ns") return median_of(timings.download);
    if (name == "wall_ns") return median_of(timings.wall);
    if (name == "cpu_ns") return median_of(timings.cpu);
    if (name == "rest_ns") {
        const auto wall = median_of(timings.wall);
        if (!wall) return std::nullopt;
        return *wall - median_of(timings.upload).value_or(0) - median_of(timings.kernel).value_or(0) -
               median_of(timings.download).value_or(0);
    }
    if (name == "bytes_per_second") return report.bytes_per_second();
    if (name == "workgroup_count") return static_cast<double>(report.launch.workgroup_count);
    if (name == "invocations") return static_cast<double>(report.launch.invocations);
    if (name == "dispatches") return static_cast<double>(report.launch.dispatches);
    if (name == "matches") return report.status == Status::ok ? 1 : 0;
    if (name == "wrong_fraction") {
        if (report.compare.judged_runs == 0) return std::nullopt;
        return static_cast<double>(report.compare.wrong_runs) /
               static_cast<double>(report.compare.judged_runs);
    }
    for (const Fact& fact : report.result)
        if (fact.id == name) return fact_number(fact);
    return std::nullopt;
}

}  // namespace gridstride
