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
    Ink ink;
};
inline constexpr RunTime run_times[] = {
    {"upload_ns", "upload", Ink::upload},
    {"kernel_ns", "kernel", Ink::kernel},
    {"download_ns", "download", Ink::download},
    {"", "CPU steps", Ink::cpu},
    {"rest_ns", "submit and wait", Ink::wait},
    {"wall_ns", "whole run", Ink::quiet},
    {"cpu_ns", "CPU", Ink::cpu},
};
/// Returns null if the metric is not one of run_times.
constexpr const RunTime* find_time(std::string_view metric) {
    const auto* found = std::ranges::find(run_times, metric, &RunTime::metric);
    return found == std::end(run_times) ? nullptr : found;
}
/// Returns the first name with this colour. There must be one.
constexpr std::string_view name_of_part(Ink ink) {
    return std::ranges::find(run_times, ink, &RunTime::ink)->name;
}

}  // namespace gridstride
