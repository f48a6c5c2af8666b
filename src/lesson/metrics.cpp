#include "lesson/metrics.h"

#include <algorithm>
#include <limits>

#include "lesson/lesson.h"
#include "lesson/trace_metrics.h"

namespace gridstride {

namespace {

double fact_number(const Fact& fact) {
    if (const auto* count = std::get_if<std::uint64_t>(&fact.value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&fact.value)) return *real;
    const auto& array = std::get<ArrayRef>(fact.value);
    return array ? static_cast<double>(array->count()) : 0.0;
}

Estimate exact(double value) {
    return {value, value, value};
}

/// Returns nullopt for 0, which means that the device does not report the value.
std::optional<Estimate> exact_or_nullopt(double value) {
    return value > 0 ? std::optional(exact(value)) : std::nullopt;
}

std::optional<Estimate> estimate(const Timing& timing) {
    if (timing.samples.empty()) return std::nullopt;
    const Summary all = timing.summary();
    // A median that has not converged may be anywhere in the range of the samples.
    return timing.is_noisy ? Estimate{all.median, all.p5, all.p95} : Estimate{all.median, all.low, all.high};
}

std::optional<Estimate> estimate_rate(std::uint64_t amount, const Timing& timing) {
    const auto time = estimate(timing);
    return time ? divide(exact(static_cast<double>(amount) * 1e9), *time) : std::nullopt;
}
std::optional<Estimate> estimate_fraction(std::uint64_t amount, const Timing& timing,
                                          const std::optional<Ceilings>& ceilings,
                                          double Ceilings::*ceiling) {
    const auto rate = amount > 0 ? estimate_rate(amount, timing) : std::nullopt;
    return rate && ceilings ? divide(*rate, exact(*ceilings.*ceiling)) : std::nullopt;
}

std::optional<Estimate> estimate_rest(const Timings& timings) {
    auto rest = estimate(timings.wall);
    if (!rest) return std::nullopt;
    for (const auto& part : {estimate(timings.upload), estimate(timings.unbatched_kernel()),
                             estimate(timings.download), estimate(timings.host)})
        if (part) rest = Estimate{rest->value - part->value, rest->low - part->high, rest->high - part->low};
    return rest;
}

}  // namespace

std::optional<Estimate> divide(const Estimate& dividend, const Estimate& divisor) {
    if (divisor.value == 0) return std::nullopt;
    const double value = dividend.value / divisor.value;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (divisor.low <= 0 && divisor.high >= 0) return Estimate{value, -infinity, infinity};
    const auto [low, high] = std::minmax({dividend.low / divisor.low, dividend.low / divisor.high,
                                          dividend.high / divisor.low, dividend.high / divisor.high});
    return Estimate{value, low, high};
}

std::optional<Estimate> estimate(const Report& report, std::string_view name) {
    const Timings& timings = report.timings;
    const std::optional<Ceilings>& ceilings = report.ceilings;
    if (name == "upload_ns") return estimate(timings.upload);
    if (name == "kernel_ns") return estimate(timings.kernel);
    if (name == "kernel_p5_ns" || name == "kernel_p95_ns") {
        if (timings.kernel.samples.empty()) return std::nullopt;
        const Summary all = timings.kernel.summary();
        return exact(name == "kernel_p5_ns" ? all.p5 : all.p95);
    }
    if (name == "compile_ns") return exact_or_nullopt(timings.compile_ns);
    if (name == "download_ns") return estimate(timings.download);
    if (name == "wall_ns") return estimate(timings.wall);
    if (name == "cpu_ns") return estimate(timings.cpu);
    if (name == "rest_ns") return estimate_rest(timings);
    if (name == "waiting_ns") return estimate(timings.waiting);
    if (name == "allocate_ns") return exact_or_nullopt(timings.allocate_ns);
    if (name == "bytes_per_second") return estimate_rate(report.bytes_moved, timings.kernel);
    if (name == "fraction_of_copy")
        return estimate_fraction(report.bytes_moved, timings.kernel, ceilings,
                                 &Ceilings::copy_bytes_per_second);
    if (name == "operations_per_second" && report.operations > 0)
        return estimate_rate(report.operations, timings.kernel);
    if (name == "fraction_of_arithmetic")
        return estimate_fraction(report.operations, timings.kernel, ceilings,
                                 &Ceilings::operations_per_second);
    if (name == "fraction_of_upload")
        return estimate_fraction(report.uploaded_bytes, timings.upload, ceilings,
                                 &Ceilings::staged_upload_bytes_per_second);
    if (name == "fraction_of_download")
        return estimate_fraction(report.downloaded_bytes, timings.download, ceilings,
                                 &Ceilings::staged_download_bytes_per_second);
    if (name == "empty_dispatch_ns") return exact_or_nullopt(ceilings ? ceilings->empty_dispatch_ns : 0);
    if (name == "empty_submit_ns") return exact_or_nullopt(ceilings ? ceilings->empty_submit_ns : 0);
    if (name == "bytes_moved") return exact(static_cast<double>(report.bytes_moved));
    if (name == "transferred_bytes")
        return exact(static_cast<double>(report.uploaded_bytes + report.downloaded_bytes));
    if (name == "elements") return exact(static_cast<double>(domain_extent(report.experiment).product()));
    if (name == "workgroup_size") return exact(static_cast<double>(report.launch.workgroup_size()));
    if (name == "workgroup_count") return exact(static_cast<double>(report.launch.workgroup_count()));
    if (name == "invocations") return exact(static_cast<double>(report.launch.invocations()));
    if (name == "workgroup_memory_bytes") return exact(static_cast<double>(report.launch.shared_bytes));
    if (name == "dispatches") return exact(static_cast<double>(report.launch.dispatches));
    if (name == "launches") return exact(static_cast<double>(report.launch.launches));
    if (name == "submissions") return exact(static_cast<double>(report.launch.submissions));
    if (name == "device_bytes") return exact(static_cast<double>(report.cache.working_set_bytes));
    // Nobody knows whether a run without its reference is right.
    if (report.status == Status::unjudged && (name == "matches" || name == "wrong_fraction"))
        return std::nullopt;
    if (name == "matches") return exact(report.status == Status::ok ? 1 : 0);
    if (name == "from_cache") return exact(report.cache.from_cache() ? 1 : 0);
    if (name == "is_cpu_device") return exact(report.device.is_cpu ? 1 : 0);
    if (name == "has_matrix_units") return exact(report.device.cooperative_matrix ? 1 : 0);
    if (name == "subgroup_size") return exact_or_nullopt(report.device.subgroup_size);
    if (name == "multiprocessors") return exact_or_nullopt(report.device.multiprocessors);
    if (name == "wrong_fraction") {
        if (report.compare.judged_runs == 0) return std::nullopt;
        return exact(static_cast<double>(report.compare.wrong_runs) /
                     static_cast<double>(report.compare.judged_runs));
    }
    if (is_trace_metric(name)) {
        const auto found = find_trace_metric(report, name);
        return found ? found->value : std::nullopt;
    }
    for (const Fact& fact : report.result)
        if (fact.id == name) {
            const double value = fact_number(fact);
            return Estimate{value, value - 2 * fact.uncertainty, value + 2 * fact.uncertainty};
        }
    return std::nullopt;
}

std::optional<double> metric(const Report& report, std::string_view name) {
    const auto found = estimate(report, name);
    return found ? std::optional(found->value) : std::nullopt;
}

}  // namespace gridstride
