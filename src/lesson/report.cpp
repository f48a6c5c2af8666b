#include "lesson/report.h"

#include <fmt/format.h>

#include "base/units.h"

namespace gridstride {

std::string_view name(Status status) {
    static constexpr std::string_view names[] = {"ok",        "wrong_on_purpose", "mismatch", "failed",
                                                 "timed_out", "stopped",          "refused",  "lost"};
    static_assert(std::size(names) == static_cast<std::size_t>(last_of(Status{})) + 1);
    return names[static_cast<std::size_t>(status)];
}

namespace {

/// A second; 0 when it was not measured.
double rate(std::uint64_t amount, const Timing& timing) {
    const double ns = timing.median().value_or(0);
    return ns > 0 ? static_cast<double>(amount) / ns * 1e9 : 0;
}

std::optional<double> fraction(double measured, double ceiling) {
    if (!(ceiling > 0) || !(measured > 0)) return std::nullopt;
    return measured / ceiling;
}

std::optional<double> fact_number(const Fact& fact) {
    if (const auto* count = std::get_if<std::uint64_t>(&fact.value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&fact.value)) return *real;
    const auto& array = std::get<ArrayRef>(fact.value);
    return array ? static_cast<double>(array->count()) : 0.0;
}

}  // namespace

std::optional<double> Timing::median() const {
    if (samples.empty()) return std::nullopt;
    return summary().median;
}

std::string cache_in_words(const CacheState& cache) {
    if (cache.working_set_bytes == 0) return {};
    const std::string used = format_bytes(static_cast<double>(cache.working_set_bytes)).text();
    const std::string held = format_bytes(static_cast<double>(cache.cache_bytes)).text();
    if (cache.cold && cache.copies > 1)
        return fmt::format("cold: {} copies of {} exceed the cache of {}", format_count(cache.copies), used,
                           held);
    if (cache.from_cache()) return fmt::format("warm: {} fit the cache of {}", used, held);
    return fmt::format("{}: {} do not fit the cache of {}", cache.cold ? "cold" : "warm", used, held);
}

bool Report::measured() const {
    return status == Status::ok || status == Status::mismatch || status == Status::wrong_on_purpose;
}

const Array* Report::right(std::string_view output) const {
    const Array* const differs = find(expected, output);
    return differs ? differs : find(outputs, output);
}

void Report::drop_arrays() {
    input.clear();
    outputs.clear();
    expected.clear();
    experiment.input.numbers.reset();
    if (experiment.kernel) experiment.kernel->text.clear();
}

double Report::bytes_per_second() const {
    return rate(bytes_moved, timings.kernel);
}

std::optional<double> Report::fraction_of_copy_ceiling() const {
    return fraction(bytes_per_second(), ceilings ? ceilings->copy_bytes_per_second : 0);
}

double Report::upload_bytes_per_second() const {
    return rate(uploaded_bytes, timings.upload);
}
double Report::download_bytes_per_second() const {
    return rate(downloaded_bytes, timings.download);
}
std::optional<double> Report::fraction_of_upload_ceiling() const {
    return fraction(upload_bytes_per_second(), ceilings ? ceilings->staged_upload_bytes_per_second : 0);
}
std::optional<double> Report::fraction_of_download_ceiling() const {
    return fraction(download_bytes_per_second(), ceilings ? ceilings->staged_download_bytes_per_second : 0);
}

double Report::operations_per_second() const {
    return rate(operations, timings.kernel);
}

std::optional<double> metric(const Report& report, std::string_view name) {
    const Timings& timings = report.timings;
    if (name == "upload_ns") return timings.upload.median();
    if (name == "kernel_ns") return timings.kernel.median();
    if (name == "download_ns") return timings.download.median();
    if (name == "wall_ns") return timings.wall.median();
    if (name == "cpu_ns") return timings.cpu.median();
    if (name == "rest_ns") {
        const auto wall = timings.wall.median();
        if (!wall) return std::nullopt;
        // What was batched is not part of the wall clock's time: the run's own kernel work is.
        const double kernel = timings.pass_kernel.median().value_or(timings.kernel.median().value_or(0));
        return *wall - timings.upload.median().value_or(0) - kernel - timings.download.median().value_or(0) -
               timings.host.median().value_or(0);
    }
    if (name == "bytes_per_second") return report.bytes_per_second();
    if (name == "workgroup_count") return static_cast<double>(report.launch.workgroup_count());
    if (name == "invocations") return static_cast<double>(report.launch.invocations());
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
