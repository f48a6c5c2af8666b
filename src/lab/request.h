// What the lab is asked: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/limits.h"
#include "lesson/experiment.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// What the caches hold when a kernel is timed.
enum class Cache {
    warm,  ///< repeats run over the same buffers
    cold,  ///< repeats go round copies of them that exceed the last-level cache, so that a rate is memory's
};
constexpr Cache last_of(Cache) {
    return Cache::cold;
}

struct Sampling {
    bool measure = true;         ///< false: run and judge once, take no samples
    std::uint32_t samples = 0;   ///< exactly so many; 0: auto, until the median has settled
    double budget_seconds = 2;   ///< of auto, after which sampling ends and the series is called noisy
    bool whole_budget = false;   ///< of auto: goes on for so long although the median has settled
    bool first_quickly = false;  ///< report after a few samples, and again as more come in
    Cache cache = Cache::warm;
    bool unbatched =
        false;  ///< one run of the kernel work a sample, however short: what a launch alone costs
};

/// A recording instead of times: the run is judged, and its report has a trace.
struct Recorded {
    std::uint32_t launch = 0;  ///< of the plan's dispatches, from 0: the main one
    std::uint64_t first_workgroup = 0;
    std::optional<std::uint64_t> last_workgroup = {};  ///< with it; nullopt: as many whole ones as fit
    std::uint64_t max_records = std::uint64_t{64} << 10;
};

struct Request {
    std::uint64_t id = 0;  ///< its report carries the same
    Experiment experiment;
    Sampling sampling;
    std::optional<Recorded> recorded = {};
    bool measure_ceilings = false;  ///< the device's, anew: what is known of them is older
    /// An exercise's answer is judged: its kernel may include only what shaders/common/, the starter and the
    /// person's own folder hold, and the report says which shipped kernels it equals.
    bool graded = false;
    /// Counts loop iterations in a separate run: the request fails if a launch has more than its plan states.
    bool count_loops = false;
    double deadline_seconds = 0;  ///< for compiling and running together; 0: default_deadline_seconds()
};

/// A software driver is slower by a hundred times; a person waits all the same.
double default_deadline_seconds(const Limits& device);

/// What every report says of its request, whoever makes the report: the runner, or the client when the lab
/// was lost. Final and failed until something better is known; started now, with a run id of its own.
Report begin_report(const Request& request, const Limits& device);

inline constexpr const char* stopped_by_person = "The run was stopped.";
/// The final report of a request that was stopped before it began.
Report stopped_report(const Request& request, const Limits& device);

/// The same run as failed, for this reason: what was asked for stays, what came out goes.
Report without_results(const Report& report, std::string message);

/// How far the run in the air has come.
struct Progress {
    std::uint64_t request = 0;
    std::uint64_t slices_done = 0;  ///< of the pass that runs now
    std::uint64_t slices = 0;       ///< dispatches of one pass
    double seconds_left = 0;        ///< of this pass, from the slices so far
};

}  // namespace gridstride::lab
