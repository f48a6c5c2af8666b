// The names and colours of a run's times in plots and tables.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/language.h"
#include "lesson/plot.h"

namespace gridstride {

struct RunTime {
    std::string_view metric;  ///< one of common_metrics; empty if there is none
    const char* name;         ///< for tr()
    ColorRole color_role;
};
inline constexpr RunTime run_times[] = {
    {"upload_ns", tr_later("upload"), ColorRole::upload},
    {"kernel_ns", tr_later("kernel"), ColorRole::kernel},
    {"download_ns", tr_later("download"), ColorRole::download},
    {"", tr_later("CPU steps"), ColorRole::cpu},
    {"rest_ns", tr_later("submit and wait"), ColorRole::wait},
    {"wall_ns", tr_later("whole run"), ColorRole::quiet},
    {"cpu_ns", tr_later("CPU"), ColorRole::cpu},
};
/// Returns null if the metric is not one of run_times.
constexpr const RunTime* find_run_time(std::string_view metric) {
    const auto* found = std::ranges::find(run_times, metric, &RunTime::metric);
    return found == std::end(run_times) ? nullptr : found;
}
/// Returns the first name with this colour. There must be one.
inline std::string_view part_name(ColorRole color_role) {
    return tr(std::ranges::find(run_times, color_role, &RunTime::color_role)->name);
}

}  // namespace gridstride
