#include "present/run_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/language.h"
#include "base/units.h"
#include "lesson/param.h"

namespace gridstride {

std::vector<Remark> result_remarks(const Report& report) {
    std::vector<Remark> all = report.remarks;
    for (const std::string& note : report.notes)
        all.push_back({Severity::note, {}, note});
    return all;
}

std::string over_ceiling_reason(const Report& report) {
    std::string reason;
    if (report.fraction_of_copy_ceiling().value_or(0) > 1)
        reason =
            report.cache.from_cache()
                ? tr("More than 100 % of a copy: these data come from a cache, the copy uses device memory.")
                : tr("More than 100 % of a copy: a copy reads and writes; a kernel that mostly reads can be "
                     "faster.");
    if (report.fraction_of_upload_ceiling().value_or(0) > 1 ||
        report.fraction_of_download_ceiling().value_or(0) > 1)
        reason +=
            std::string(reason.empty() ? "" : " ") +
            tr("More than 100 % of a transfer: a transfer this small can be faster than the large copy that "
               "it is compared with, or the clock frequency was higher.");
    return reason;
}

std::vector<Remark> measurement_remarks(const Report& report) {
    const Timings& timings = report.timings;
    Remarks remarks;
    if (!timings.kernel.samples.empty()) {
        if (timings.kernel_repeats > 1)
            remarks.note(tr("Kernel batched: {} repeats per sample.", format_count(timings.kernel_repeats)));
        if (timings.is_provisional) remarks.note(tr("Provisional: the first samples only; more follow."));
        if (report.launch.slices > 1)
            remarks.note(tr("The launch was cut into {} slices.", format_count(report.launch.slices)));
        if (const std::string cache = describe_cache(report.cache); !cache.empty())
            remarks.note(tr("Cache {}.", cache));
        if (timings.host_clock)
            remarks.note(tr("This device has no timestamps, so times were taken with the host's clock."));
        if (const std::string reason = over_ceiling_reason(report); !reason.empty()) remarks.note(reason);
        if (report.device.is_cpu)
            remarks.note(
                tr("A software device: compare which variant is faster, but do not rely on the numbers."));
    }
    if (timings.kernel.is_noisy && report.is_final)
        remarks.caution(tr("Noisy: the kernel's median had not converged after the last sample."));
    return std::move(remarks).take();
}

std::vector<Remark> all_remarks(const Report& report) {
    std::vector<Remark> all = result_remarks(report);
    std::ranges::move(measurement_remarks(report), std::back_inserter(all));
    return all;
}

std::string describe_remark(const Remark& remark) {
    return remark.parameter.empty() ? remark.text
                                    : fmt::format("--{}: {}", kebab_case(remark.parameter), remark.text);
}

}  // namespace gridstride
