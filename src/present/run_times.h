// The names and colours of a run's times in plots and tables.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lesson/plot.h"

namespace gridstride {

struct RunTime {
    std::string_view metric;  ///< one of common_metrics; empty if there is none
    std::string_view name;
    ColorRole color_role;
};
inline constexpr RunTime run_times[] = {
    {"upload_ns", "upload", ColorRole::upload},
    {"kernel_ns", "kernel", ColorRole::kernel},
    {"download_ns", "download", ColorRole::download},
    {"", "CPU steps", ColorRole::cpu},
    {"rest_ns", "submit and wait", ColorRole::wait},
    {"wall_ns", "whole run", ColorRole::quiet},
    {"cpu_ns", "CPU", ColorRole::cpu},
};
/// Returns null if the metric is not one of run_times.
constexpr const RunTime* find_run_time(std::string_view metric) {
    const auto* found = std::ranges::find(run_times, metric, &RunTime::metric);
    return found == std::end(run_times) ? nullptr : found;
}
/// Returns the first name with this colour. There must be one.
constexpr std::string_view part_name(ColorRole color_role) {
    return std::ranges::find(run_times, color_role, &RunTime::color_role)->name;
}

}  // namespace gridstride
