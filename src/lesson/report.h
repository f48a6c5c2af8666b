// The report of a run: a plain value that the lab sends to the window and the command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/statistics.h"
#include "launch/extent.h"
#include "launch/limits.h"
#include "lesson/ceilings.h"
#include "lesson/experiment.h"
#include "lesson/param.h"
#include "lesson/remark.h"
#include "trace/findings.h"

namespace gridstride {

enum class Status {
    ok,
    wrong_on_purpose,  ///< a result differs from its reference, as intended
    mismatch,          ///< a result differs from its reference
    unwritten,         ///< elements of an output were never written
    unjudged,          ///< the reference of an output could not be computed, and no other output is wrong
    failed,            ///< the kernel does not compile, or the device refused it
    timed_out,         ///< the run passed its deadline
    stopped,           ///< the user stopped the run
    refused,           ///< the values cannot be run on this device
    lost,              ///< the lab process ended during the run
};
constexpr Status last_enumerator(Status) {
    return Status::lost;
}
std::string_view name(Status status);

/// The samples of one timing, in nanoseconds.
struct Timing {
    std::vector<double> samples;
    bool is_noisy = false;  ///< the median has not converged after ten or more samples
    Summary summary() const { return summarize(samples); }
    std::optional<double> median() const;  ///< nullopt if it was not measured
};

struct Timings {
    Timing upload;                 ///< host to device copies, GPU timestamps
    Timing kernel;                 ///< dispatches and fills, GPU timestamps; batched if they are short
    Timing kernel_in_wall;         ///< the kernel work within the run that `wall` times, never batched
    Timing host;                   ///< the plan's CPU steps within that run, host clock
    Timing download;               ///< device to host copies, GPU timestamps
    Timing waiting;                ///< CPU time of the thread that waits for the device, within that run
    Timing wall;                   ///< the whole plan once, host clock: staging, submits and waits included
    Timing cpu;                    ///< the lesson's first CPU baseline, host clock
    std::vector<Timing> more_cpu;  ///< its further baselines, in the lesson's order
    /// The time to create the pipelines, plus the first dispatch minus a warm one. For a user kernel it
    /// includes the compilation of its GLSL.
    double compile_ns = 0;
    /// The time of the last allocation of device memory and host arrays for the plan, host clock. Runs with
    /// the same needs reuse them.
    double allocate_ns = 0;
    std::uint32_t kernel_repeats = 1;  ///< number of repeats within one timestamp pair; above 1: batched
    bool is_unbatched = false;         ///< the request disabled batching
    /// The kernel samples are the first few, taken quickly with a low GPU clock or cold caches. Later samples
    /// replace them.
    bool is_provisional = false;
    bool host_clock = false;  ///< the device has no timestamps: all times are the host clock's

    /// Returns the kernel timing within the run that `wall` times, or `kernel` if that was not batched.
    const Timing& unbatched_kernel() const {
        return kernel_in_wall.samples.empty() ? kernel : kernel_in_wall;
    }
};

/// An element of an output that differs from its reference or was never written.
struct Mismatch {
    std::string output;
    std::uint64_t index = 0;
    double gpu = 0;  ///< NaN if it was never written
    double reference = 0;
    std::string source = {};    ///< Expected::source
    bool is_unwritten = false;  ///< it still holds the fill word from before the run
    /// The allowed absolute error; nullopt if the reference is not finite.
    std::optional<double> allowed = {};
};

/// The comparison of one output of one run.
struct OutputVerdict {
    std::string output;
    std::uint64_t wrong = 0;      ///< elements that were written, were compared and differ
    std::uint64_t unwritten = 0;  ///< elements that were never written
    bool all_compared = true;     ///< false: some rows were not compared, and may have more wrong elements
    std::optional<Mismatch> first_wrong;
    std::optional<Mismatch> first_unwritten;
    /// The output with unwritten elements that a later step reads to compute this one, which makes its
    /// numbers meaningless. Empty: none.
    std::string unwritten_source = {};

    bool is_right() const { return !first_wrong && !first_unwritten; }
    const std::optional<Mismatch>& first() const { return first_unwritten ? first_unwritten : first_wrong; }
};

/// The comparison of the last wrong run, or of the last run if all are right.
struct Comparison {
    /// The largest error of all outputs; infinite if an element is NaN.
    double max_abs_error = 0;
    double max_rel_error = 0;  ///< relative to references that are not 0
    /// The error allowed at the element with the largest error, or, if elements are wrong, at the first wrong
    /// one. A run is right if and only if no error exceeds the allowed one. 0: exact.
    double allowed_abs_error = 0;
    double allowed_rel_error = 0;
    std::optional<Mismatch> first_mismatch;  ///< the first unwritten element, otherwise the first wrong one
    std::vector<OutputVerdict> outputs;      ///< of all judged outputs
    std::string out_of_bounds_output;        ///< the output with a write out of bounds; empty: none
    std::uint64_t judged_runs = 0;
    std::uint64_t wrong_runs = 0;
    /// Outputs that are not judged, because their expected value is unknown: Expected::note or
    /// Expected::failure says why.
    std::uint64_t outputs_without_reference = 0;

    bool has_unwritten() const { return first_mismatch && first_mismatch->is_unwritten; }
};

enum class Phase { upload, kernel, download, host };
constexpr Phase last_enumerator(Phase) {
    return Phase::host;
}

/// One step of the plan in the last sample, on one time axis that starts with the run.
struct StepTime {
    Phase phase = Phase::kernel;
    std::string label;
    double start_ns = 0;
    double duration_ns = 0;
    std::uint64_t step = 0;  ///< index in the plan; a long step has several entries
    /// The submission it was part of, counted from 0. A CPU step has the submission that it waited for.
    std::uint64_t submission = 0;
    std::uint64_t barriers = 0;  ///< before and within the step
};

/// Facts about the main launch, and counts of the whole plan.
struct LaunchInfo {
    Extent workgroup = {0};          ///< invocations
    Extent grid = {0};               ///< workgroups
    std::uint64_t launches = 0;      ///< of the whole plan
    std::uint64_t dispatches = 0;    ///< of the whole plan; each launch has one per slice
    std::uint64_t submissions = 0;   ///< of the whole plan, in its last run
    std::uint64_t slices = 1;        ///< dispatches of the main launch
    std::uint32_t registers = 0;     ///< 32-bit registers per invocation; 0: the driver does not report them
    std::uint64_t shared_bytes = 0;  ///< workgroup memory of a workgroup of the main launch

    std::uint64_t workgroup_size() const { return workgroup.product(); }
    std::uint64_t workgroup_count() const { return grid.product(); }
    std::uint64_t invocations() const { return workgroup_size() * workgroup_count(); }
};

/// Whether the repeats of the kernel read their data from the cache.
struct CacheState {
    std::uint64_t working_set_bytes = 0;  ///< allocated for the plan's device buffers
    std::uint64_t cache_bytes = 0;        ///< Limits::cache_bytes
    std::uint64_t copies = 1;             ///< of the working set, which the repeats use in turn
    bool is_cold = false;                 ///< the copies together exceed the cache, so data comes from memory
    /// True if the repeats use one working set that fits the cache, so that rates can exceed memory
    /// bandwidth.
    bool from_cache() const { return !is_cold && working_set_bytes > 0 && working_set_bytes <= cache_bytes; }
};

/// Describes the state in words: "warm: 4 MiB fit the cache of 32 MiB". Returns an empty string if the
/// working set is unknown.
std::string describe_cache(const CacheState& cache);

struct Fact {
    std::string id;     ///< "total"
    std::string label;  ///< "Total"
    std::variant<std::uint64_t, double, ArrayRef> value;
    double uncertainty = 0;  ///< of an estimate: one standard deviation, in the value's unit; 0: exact
};

/// A number with its interval; low = value = high if it is exact.
struct Estimate {
    double value = 0, low = 0, high = 0;
};

/// A metric computed from a trace, such as "races" or "sectors_per_request(34)".
struct TraceMetric {
    std::string name;
    /// nullopt if it cannot be determined, for example because records are missing. A lower bound has an
    /// infinite `high`.
    std::optional<Estimate> value;
    std::string sentence;  ///< the finding with its first case, or why there is no value
};

struct Report {
    std::uint64_t request = 0;  ///< the id of its request
    bool is_final = true;       ///< false: a report with more samples follows
    /// True for a report of compute_report(), made without a device. Pictures of the device's work are
    /// omitted.
    bool computed = false;
    std::string run_id;       ///< unique across sessions and machines
    std::string started_utc;  ///< ISO 8601 with milliseconds: "2026-11-21T08:30:00.125Z"
    Experiment experiment;    ///< its element count is that of the user's input
    Status status = Status::failed;
    bool is_cut_short = false;            ///< a newer request ended the sampling early
    std::string message;                  ///< sentences; empty if there is no problem
    std::vector<Diagnostic> diagnostics;  ///< of the compiler, or errors of a program
    std::vector<std::string> notes;       ///< sentences shown with every verdict
    /// True if the result is wrong and the driver ended loops of the user's kernel early, or may have done so
    /// (see Limits::loop_iterations). This alone makes a result wrong.
    bool has_truncated_loops = false;
    /// For a graded request: the shipped kernels that compile to the same code, such as
    /// "reduction/maximum.comp".
    std::vector<std::string> identical_kernels;
    std::vector<Remark> remarks;  ///< PreparedExperiment::remarks
    Limits device;
    Comparison compare;
    Timings timings;
    LaunchInfo launch;
    std::uint64_t bytes_moved = 0;       ///< Plan::min_bytes
    std::uint64_t uploaded_bytes = 0;    ///< copied by the plan's uploads
    std::uint64_t downloaded_bytes = 0;  ///< copied by the plan's downloads
    std::uint64_t operations = 0;        ///< Plan::operations
    std::optional<Ceilings> ceilings;    ///< nullopt: not measured yet
    CacheState cache;
    std::vector<Fact> result;
    std::vector<StepTime> timeline;
    std::optional<trace::Trace> trace;     ///< a run with a trace is not timed
    std::vector<trace::Finding> findings;  ///< of the trace
    /// compute_trace_metrics() of a trace, which may be that of another run of the same experiment.
    std::vector<TraceMetric> trace_metrics;
    Input input;       ///< shared, never copied
    Outputs outputs;   ///< downloaded or computed by host steps in the last sample
    Outputs expected;  ///< the references of outputs that differ from them

    /// Returns true if the diagnostics of the kernel or program contain an error.
    bool has_errors() const {
        return std::ranges::any_of(diagnostics,
                                   [](const Diagnostic& one) { return one.level == DiagnosticLevel::error; });
    }
    /// Returns the name of the user's kernel or program, or an empty string.
    std::string kernel_name() const { return experiment.kernel ? experiment.kernel->name : std::string(); }
    /// Returns true if the run has a result, right, wrong or unjudged.
    bool is_measured() const;
    /// Returns true if the result is wrong, and not on purpose.
    bool is_wrong() const { return status == Status::mismatch || status == Status::unwritten; }
    /// Returns the correct values of an output: its reference, or, if nothing differs, the output. Null:
    /// none.
    const Array* correct_values(std::string_view output) const;
    /// Removes input, outputs, references, trace and the text of a kernel, for tables with thousands of
    /// reports. The text of a program stays.
    void drop_arrays();

    double bytes_per_second() const;  ///< bytes_moved over the kernel's median; 0: not measured
    std::optional<double> fraction_of_copy_ceiling() const;
    // Bytes over the median time of the device's copies, and as fractions of the staged ceilings. 0 and
    // nullopt if they were not measured.
    double upload_bytes_per_second() const;
    double download_bytes_per_second() const;
    std::optional<double> fraction_of_upload_ceiling() const;
    std::optional<double> fraction_of_download_ceiling() const;
    double operations_per_second() const;  ///< operations over the kernel's median
};

}  // namespace gridstride
