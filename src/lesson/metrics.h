// The numbers of a report by name: a story's questions, an exercise's requirements and pictures name them.
#pragma once

#include <optional>
#include <string_view>

#include "lesson/report.h"

namespace gridstride {

/// Bounds at the far ends of both; all numbers where the divisor's interval holds 0. nullopt: divided by 0.
std::optional<Estimate> quotient(const Estimate& dividend, const Estimate& divisor);

/// A number of a report by name, for a story's predictions and for plots: those of common_metrics, what was
/// recorded (lesson/recorded_metrics.h), and every fact of the result (an array's is its length). nullopt
/// where the run or its device does not say it. A median has its interval of 95 %, or, of a noisy series, the
/// span of nine samples in ten; a fact that is an estimate two standard deviations on both sides.
std::optional<Estimate> estimate(const Report& report, std::string_view name);
std::optional<double> metric(const Report& report, std::string_view name);  ///< its value alone

/// Those that every lesson has: medians of times, rates and their part of the device's ceilings, counts of
/// the launch, what the device is; matches, from_cache and is_cpu_device are 1 or 0, and wrong_fraction is
/// wrong runs over judged runs.
inline constexpr std::string_view common_metrics[] = {"kernel_ns",
                                                      "upload_ns",
                                                      "download_ns",
                                                      "wall_ns",
                                                      "cpu_ns",
                                                      "rest_ns",
                                                      "waiting_ns",
                                                      "allocate_ns",
                                                      "bytes_per_second",
                                                      "fraction_of_copy",
                                                      "fraction_of_upload",
                                                      "fraction_of_download",
                                                      "bytes_moved",
                                                      "transferred_bytes",
                                                      "elements",
                                                      "workgroup_size",
                                                      "workgroup_count",
                                                      "invocations",
                                                      "dispatches",
                                                      "wrong_fraction",
                                                      "launches",
                                                      "submissions",
                                                      "device_bytes",
                                                      "matches",
                                                      "from_cache",
                                                      "is_cpu_device",
                                                      "subgroup_size",
                                                      "multiprocessors",
                                                      "empty_dispatch_ns",
                                                      "empty_submit_ns"};

}  // namespace gridstride
