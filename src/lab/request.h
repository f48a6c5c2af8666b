// A request to the lab: an experiment, how it is sampled or traced, and a deadline. A plain value, so
// that it can be sent between processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/limits.h"
#include "lesson/experiment.h"
#include "lesson/lesson_files.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// The state of the caches when a kernel is timed.
enum class Cache {
    warm,  ///< repeats run over the same buffers
    cold,  ///< repeats rotate through copies that exceed the last-level cache
};
constexpr Cache last_enumerator(Cache) {
    return Cache::cold;
}

struct Sampling {
    bool measure = true;              ///< false: run and judge once, without samples
    std::uint32_t samples = 0;        ///< exact count; 0: auto, until the median has converged
    double budget_seconds = 2;        ///< of auto; then sampling ends and the series counts as noisy
    bool whole_budget = false;        ///< of auto: use the whole budget even if the median has converged
    bool quick_first_report = false;  ///< report after a few samples, then again as more arrive
    Cache cache = Cache::warm;
    bool is_unbatched = false;  ///< one run of the kernel work per sample: shows the cost of a single launch
};

/// Requests a trace instead of times: the run is judged, and its report has a trace.
struct TraceOptions {
    std::uint32_t launch = 0;  ///< index of the plan's dispatch; 0: the main one
    std::uint64_t first_workgroup = 0;
    std::optional<std::uint64_t> last_workgroup = {};  ///< inclusive; nullopt: as many whole ones as fit
    std::uint64_t max_records = std::uint64_t{64} << 10;
    std::uint64_t max_branch_records = std::uint64_t{64} << 10;
    bool needs_ceilings = false;  ///< also measure those with which find_run_limits() compares the trace
};

struct Request {
    std::uint64_t id = 0;  ///< copied to its reports
    Experiment experiment;
    /// Lesson::folder and Lesson::files of the experiment's lesson, which the client sets if the lab has not
    /// had this version yet.
    std::string lesson_folder = {};
    std::optional<LessonFiles> lesson_files = {};
    Sampling sampling;
    std::optional<TraceOptions> trace_options = {};
    bool measure_ceilings = false;  ///< measure the device's ceilings again
    /// Grade an exercise's answer: its kernel may include only files of shaders/common/, those of the starter
    /// and those of the user's folder, and the report lists the shipped kernels that it equals.
    bool is_graded = false;
    /// Count loop iterations in a separate run. The request fails if a launch has more than its plan states.
    bool count_loops = false;
    double deadline_seconds = 0;  ///< for compiling and running; 0: default_deadline_seconds()
};

/// Returns the deadline (the time limit of a run) of requests without one, in seconds. It is longer for
/// software drivers, which may take a hundred times as long.
double default_deadline_seconds(const Limits& device);

/// Starts the report of a request, for the runner and for a client that lost the lab. It is final and failed
/// until more is known, and has the start time and a new run id.
Report begin_report(const Request& request, const Limits& device);

inline constexpr const char* stopped_message = "The run was stopped.";
Report make_stopped_report(const Request& request, const Limits& device);

/// Returns the report of the same run as failed with this message: the request's data is kept, results are
/// not.
Report make_failed_report(const Report& report, std::string message);

struct RunProgress {
    std::uint64_t request = 0;
    std::uint64_t slices_done = 0;  ///< of the current pass
    std::uint64_t slices = 0;       ///< dispatches of one pass
    double seconds_left = 0;        ///< of this pass, estimated from the finished slices
};

}  // namespace gridstride::lab
