// The times of a run: what pictures and tables call them, and their colours.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lesson/plot.h"

namespace gridstride {

struct RunTime {
    std::string_view metric;  ///< of common_metrics; empty: none says it
    std::string_view name;
    Ink ink;
};
/// The parts of a run first, in the order in which they are drawn.
inline constexpr RunTime run_times[] = {
    {"upload_ns", "upload", Ink::upload},
    {"kernel_ns", "kernel", Ink::kernel},
    {"download_ns", "download", Ink::download},
    {"", "CPU steps", Ink::cpu},
    {"rest_ns", "submit and wait", Ink::wait},
    {"wall_ns", "whole run", Ink::quiet},
    {"cpu_ns", "CPU", Ink::cpu},
};
/// Null: it is no time of these.
constexpr const RunTime* find_time(std::string_view metric) {
    const auto* found = std::ranges::find(run_times, metric, &RunTime::metric);
    return found == std::end(run_times) ? nullptr : found;
}
/// The part of a run with this colour, which there must be.
constexpr std::string_view name_of_part(Ink ink) {
    return std::ranges::find(run_times, ink, &RunTime::ink)->name;
}

}  // namespace gridstride
