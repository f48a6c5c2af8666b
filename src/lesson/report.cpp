#include "lesson/report.h"

#include <algorithm>
#include <limits>

#include "base/language.h"
#include "base/units.h"

namespace gridstride {

std::string_view name(Status status) {
    static constexpr std::string_view names[] = {
        "ok",     "wrong_on_purpose", "mismatch", "unwritten", "unjudged",
        "failed", "timed_out",        "stopped",  "refused",   "lost"};
    static_assert(std::size(names) == static_cast<std::size_t>(last_enumerator(Status{})) + 1);
    return names[static_cast<std::size_t>(status)];
}

std::string_view name(Severity severity) {
    static constexpr std::string_view names[] = {"note", "caution", "refusal"};
    static_assert(std::size(names) == static_cast<std::size_t>(last_enumerator(Severity{})) + 1);
    return names[static_cast<std::size_t>(severity)];
}

namespace {

double rate(std::uint64_t amount, const Timing& timing) {
    const double ns = timing.median().value_or(0);
    return ns > 0 ? static_cast<double>(amount) / ns * 1e9 : 0;
}

std::optional<double> fraction(double rate, double ceiling) {
    if (!(ceiling > 0) || !(rate > 0)) return std::nullopt;
    return rate / ceiling;
}

}  // namespace

std::optional<double> Timing::median() const {
    if (samples.empty()) return std::nullopt;
    return summary().median;
}

std::string describe_cache(const CacheState& cache) {
    if (cache.working_set_bytes == 0) return {};
    const std::string working_set_text = format_bytes_beside(cache.working_set_bytes, cache.cache_bytes);
    const std::string cache_text = format_bytes_beside(cache.cache_bytes, cache.working_set_bytes);
    if (cache.is_cold && cache.copies > 1)
        return tr("cold: {} copies of {} exceed the cache of {}", format_count(cache.copies),
                  working_set_text, cache_text);
    if (cache.from_cache()) return tr("warm: {} fit the cache of {}", working_set_text, cache_text);
    return tr("{}: {} do not fit the cache of {}", cache.is_cold ? "cold" : "warm", working_set_text,
              cache_text);
}

bool Report::is_measured() const {
    return status == Status::ok || status == Status::wrong_on_purpose || status == Status::mismatch ||
           status == Status::unwritten || status == Status::unjudged;
}

const Array* Report::correct_values(std::string_view output) const {
    const Array* const differs = find(expected, output);
    return differs ? differs : find(outputs, output);
}

void Report::drop_arrays() {
    input.clear();
    outputs.clear();
    expected.clear();
    trace.reset();
    findings.clear();
    experiment.input.numbers.reset();
    // Runs of programs are compared by the text of the program.
    if (experiment.kernel && !has_programs(experiment)) experiment.kernel->text.clear();
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

}  // namespace gridstride
