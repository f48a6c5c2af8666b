// Metrics: the numbers of a report by name, for the questions of stories, the requirements of exercises, and
// pictures.
#pragma once

#include <optional>
#include <string_view>

#include "lesson/report.h"

namespace gridstride {

/// Divides intervals. The result is unbounded if the divisor's interval contains 0. Returns nullopt if the
/// divisor's value is 0.
std::optional<Estimate> divide(const Estimate& dividend, const Estimate& divisor);

/// Returns a metric: one of common_metrics, of trace_metric_names, or a fact of the result (for an
/// array, its length). Returns nullopt if the run or its device does not provide it. The interval of a median
/// is its 95 % confidence interval, or, if the timing is noisy, the range from the 5th to the 95th
/// percentile. The interval of a fact is two standard deviations on both sides.
std::optional<Estimate> estimate(const Report& report, std::string_view name);
std::optional<double> metric(const Report& report,
                             std::string_view name);  ///< the value without its interval

/// The metrics of every lesson: medians of times, the 5th and 95th percentile of the kernel time, rates and
/// their fractions of the device's ceilings, counts of the launch, properties of the device. matches,
/// from_cache, is_cpu_device and has_matrix_units are 1 or 0. wrong_fraction is the number of wrong runs over
/// the number of judged runs.
inline constexpr std::string_view common_metrics[] = {"kernel_ns",
                                                      "kernel_p5_ns",
                                                      "kernel_p95_ns",
                                                      "compile_ns",
                                                      "upload_ns",
                                                      "download_ns",
                                                      "wall_ns",
                                                      "cpu_ns",
                                                      "rest_ns",
                                                      "waiting_ns",
                                                      "allocate_ns",
                                                      "bytes_per_second",
                                                      "fraction_of_copy",
                                                      "operations_per_second",
                                                      "fraction_of_arithmetic",
                                                      "fraction_of_upload",
                                                      "fraction_of_download",
                                                      "bytes_moved",
                                                      "transferred_bytes",
                                                      "elements",
                                                      "workgroup_size",
                                                      "workgroup_count",
                                                      "invocations",
                                                      "workgroup_memory_bytes",
                                                      "dispatches",
                                                      "wrong_fraction",
                                                      "launches",
                                                      "submissions",
                                                      "device_bytes",
                                                      "matches",
                                                      "from_cache",
                                                      "is_cpu_device",
                                                      "has_matrix_units",
                                                      "subgroup_size",
                                                      "multiprocessors",
                                                      "empty_dispatch_ns",
                                                      "empty_submit_ns"};

}  // namespace gridstride
