// What a run found: a value that crosses from the lab to the window and the command line.
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
#include "lesson/experiment.h"
#include "lesson/param.h"
#include "lesson/remark.h"
#include "trace/findings.h"

namespace gridstride {

enum class Status {
    ok,
    wrong_on_purpose,  ///< a result differs from its reference, as it was meant to
    mismatch,          ///< a result differs from its reference
    unwritten,         ///< elements of an output were never written
    failed,            ///< the kernel does not compile, or the device refused
    timed_out,         ///< past its deadline
    stopped,           ///< by the person
    refused,           ///< the values cannot be run here
    lost,              ///< the lab process ended while it ran this
};
constexpr Status last_of(Status) {
    return Status::lost;
}
std::string_view name(Status status);

/// A timing, one number a sample, in nanoseconds.
struct Timing {
    std::vector<double> samples;
    bool noisy = false;  ///< ten samples or more, and the median has not settled
    Summary summary() const { return summarize(samples); }
    std::optional<double> median() const;  ///< nullopt when it was not measured
};

struct Timings {
    Timing upload;       ///< host to device copies, GPU timestamps
    Timing kernel;       ///< dispatches and fills, GPU timestamps; batched where they are short
    Timing pass_kernel;  ///< the same inside the run that wall is of, once, never batched
    Timing host;         ///< the plan's CPU steps inside that run, host clock
    Timing download;     ///< device to host copies, GPU timestamps
    Timing waiting;      ///< processor time of the thread that waits for the device, inside that run
    Timing wall;         ///< the whole plan once, host clock: staging, submits and waits included
    Timing cpu;          ///< the lesson's first CPU baseline, host clock
    std::vector<Timing> more_cpu;  ///< its further baselines, in the lesson's order
    /// Pipelines and first dispatch, beyond a warm one; of a person's own kernel, its GLSL as well.
    double compile_ns = 0;
    /// The plan's memory on the device, and what its host arrays need, when it was last allocated; it is kept
    /// for runs that need the same. Host clock.
    double allocate_ns = 0;
    std::uint32_t kernel_repeats =
        1;                   ///< > 1: batched, the kernel work ran so often inside one timestamp pair
    bool unbatched = false;  ///< as was asked for: one run a sample, however short
    /// The kernel's few first samples, taken quickly: a GPU's clock was still low, a processor's caches held
    /// other things. They go when others come.
    bool provisional = false;
    bool host_clock = false;  ///< the device has no timestamps: all times are the host clock's

    /// The kernel as a part of the run that wall is of: what was batched is none.
    const Timing& own_kernel() const { return pass_kernel.samples.empty() ? kernel : pass_kernel; }
};

/// An element of an output that is not what it must be.
struct Mismatch {
    std::string output;
    std::uint64_t index = 0;
    double gpu = 0;  ///< NaN where it was never written
    double reference = 0;
    std::string by = {};     ///< Expected::by, which says so
    bool unwritten = false;  ///< it still holds the fill word from before the run
    /// How far gpu may be from the reference; nullopt: the reference is no finite number.
    std::optional<double> allowed = {};
};

/// How one output came out in one run.
struct OutputVerdict {
    std::string output;
    std::uint64_t wrong = 0;  ///< elements that were written and are not right, as far as they were compared
    std::uint64_t unwritten = 0;  ///< elements that were never written
    bool all_compared = true;     ///< false: of a matrix judged by rows, more may be wrong
    std::optional<Mismatch> first_wrong;
    std::optional<Mismatch> first_unwritten;
    /// An output with elements that were never written, which a later step reads to make this one: its
    /// numbers say nothing. Empty: there is none.
    std::string made_from_unwritten = {};

    bool right() const { return !first_wrong && !first_unwritten; }
    const std::optional<Mismatch>& first() const { return first_unwritten ? first_unwritten : first_wrong; }
};

/// Of the last run that was wrong, else of the last.
struct Comparison {
    /// Over all outputs; infinite where one has no number.
    double max_abs_error = 0;
    double max_rel_error = 0;  ///< relative to the reference, where that is not 0
    /// What is allowed at the element with that error; where an element is wrong, what is allowed at the
    /// first wrong one. So a run is right exactly if no error exceeds what is allowed. 0: exact.
    double allowed_abs_error = 0;
    double allowed_rel_error = 0;
    std::optional<Mismatch> first_mismatch;  ///< of what was never written, else of what is wrong
    std::vector<OutputVerdict> outputs;      ///< of all that are judged
    std::string broken_guard;                ///< the output that was written outside its bounds; empty: none
    std::uint64_t judged_runs = 0;
    std::uint64_t wrong_runs = 0;
    std::uint64_t unjudged = 0;  ///< outputs of which nobody has said what they must be

    bool has_unwritten() const { return first_mismatch && first_mismatch->unwritten; }
};

enum class Phase { upload, kernel, download, host };
constexpr Phase last_of(Phase) {
    return Phase::host;
}

/// One step of the plan in the last sample, on one time axis that starts with the run.
struct StepTime {
    Phase phase = Phase::kernel;
    std::string label;
    double start_ns = 0;
    double duration_ns = 0;
    std::uint64_t step = 0;  ///< of the plan, counted from 0; a long one has several entries
    /// That it was part of, counted from 0; of a step on the CPU, the one that it waited for.
    std::uint64_t submission = 0;
    std::uint64_t barriers = 0;  ///< before and within it
};

/// Of the main launch, but for what is said of the whole plan.
struct LaunchFacts {
    Extent workgroup = {0};         ///< invocations
    Extent grid = {0};              ///< workgroups
    std::uint64_t launches = 0;     ///< of the whole plan
    std::uint64_t dispatches = 0;   ///< of the whole plan: each launch's slices
    std::uint64_t submissions = 0;  ///< of the whole plan, as they were counted in its last run
    std::uint64_t slices = 1;       ///< dispatches
    std::uint32_t registers = 0;    ///< of 32 bits an invocation; 0: the driver does not say

    std::uint64_t workgroup_size() const { return workgroup.product(); }
    std::uint64_t workgroup_count() const { return grid.product(); }
    std::uint64_t invocations() const { return workgroup_size() * workgroup_count(); }
};

/// Where the kernel's repeats found their data.
struct CacheState {
    std::uint64_t working_set_bytes = 0;  ///< what was allocated for the plan's device buffers
    std::uint64_t cache_bytes = 0;        ///< Limits::cache_bytes
    std::uint64_t copies = 1;             ///< of the working set that the repeats went round
    bool cold = false;  ///< together the copies exceed the cache: what is read comes from memory
    /// Repeats over one working set that the cache can hold: a rate beyond memory's is no wonder.
    bool from_cache() const { return !cold && working_set_bytes > 0 && working_set_bytes <= cache_bytes; }
};

/// Where the kernel's data were, in a few words: "warm: 4 MiB fit the cache of 32 MiB". Empty when the
/// working set is not known.
std::string cache_in_words(const CacheState& cache);

/// One of the lesson's own answers.
struct Fact {
    std::string id;     ///< "total"
    std::string label;  ///< "Total"
    std::variant<std::uint64_t, double, ArrayRef> value;
    double uncertainty = 0;  ///< of an estimate: one standard deviation, in the value's unit; 0: exact
};

/// What a device can do at best, measured on it: the yardsticks beside every rate.
/// Bytes a second, operations a second, nanoseconds. 0: not measured, or the device has nothing of the kind.
struct Ceilings {
    /// Device to device, bytes read plus bytes written. The better of vkCmdCopyBuffer, which some drivers
    /// hand to a slower engine, and a copying kernel (shaders/ceilings/copy.comp).
    double copy_bytes_per_second = 0;

    // From host to device and back, bytes counted once.
    double staged_upload_bytes_per_second = 0;    ///< the device's copy out of mapped staging memory alone
    double staged_download_bytes_per_second = 0;  ///< the device's copy into it alone
    double pageable_upload_bytes_per_second =
        0;  ///< memcpy from ordinary memory into staging, then that copy
    double pageable_download_bytes_per_second = 0;  ///< that copy, then memcpy into ordinary memory
    double mapped_write_bytes_per_second =
        0;  ///< the host writing straight into memory of the device that it sees
    double mapped_read_bytes_per_second = 0;  ///< a kernel reading that memory

    double empty_dispatch_ns = 0;  ///< a dispatch of one workgroup that does nothing, and its barrier
    double empty_submit_ns = 0;    ///< submitting an empty command buffer and waiting, host clock, median

    /// f32 multiply-adds counted as two (shaders/ceilings/fma.comp).
    double operations_per_second = 0;

    std::string measured_utc;  ///< when, as of utc_time()

    bool operator==(const Ceilings&) const = default;
};

/// A measured number with the interval that it lies in; low = value = high where the run says it exactly.
struct Estimate {
    double value = 0, low = 0, high = 0;
};

/// A number that a recording says, by its name among the metrics: "races", "sectors_per_request(34)".
struct RecordedMetric {
    std::string name;
    /// nullopt: records are missing, or it cannot be decided. Without an upper bound where at least so many
    /// were found, and records are missing.
    std::optional<Estimate> value;
    std::string sentence;  ///< what was found, with its first case; or why there is no number
};

struct Report {
    std::uint64_t request = 0;  ///< the id of the request that it answers
    bool final = true;          ///< false: more samples are on their way
    /// No device took part: see computed_report(). A picture of what only a device does is then left out.
    bool computed = false;
    std::string run_id;       ///< tells runs apart across sessions and machines
    std::string started_utc;  ///< ISO 8601 with milliseconds: "2026-11-21T08:30:00.125Z"
    Experiment experiment;    ///< as it was run: the count of its elements is that of the user's input
    Status status = Status::failed;
    bool cut_short = false;  ///< a newer request waited: there are fewer samples than were asked for
    std::string message;     ///< sentences; empty when all is well
    std::vector<Diagnostic> diagnostics;  ///< what the compiler says of the kernel, or what is wrong with a
                                          ///< program
    std::vector<std::string> notes;       ///< sentences that belong to the verdict whatever it is
    /// The result is wrong, and this device's driver ended loops of the person's own kernel, or may have
    /// where that could not be counted (see Limits::loop_iterations): that alone makes a result wrong.
    bool loops_cut = false;
    /// Of a graded request: the shipped kernels that compile to the same code, "reduction/maximum.comp".
    std::vector<std::string> same_as;
    std::vector<Remark> remarks;  ///< Prepared::remarks, which stand beside the controls
    Limits device;
    Comparison compare;
    Timings timings;
    LaunchFacts launch;
    std::uint64_t bytes_moved = 0;       ///< Plan::min_bytes
    std::uint64_t uploaded_bytes = 0;    ///< by the plan's uploads
    std::uint64_t downloaded_bytes = 0;  ///< by its downloads
    std::uint64_t operations = 0;        ///< Plan::operations
    std::optional<Ceilings> ceilings;    ///< nullopt: not measured yet
    CacheState cache;
    std::vector<Fact> result;
    std::vector<StepTime> timeline;
    std::optional<trace::Trace> trace;     ///< a recording; such a run is not timed
    std::vector<trace::Finding> findings;  ///< what it shows
    /// recorded_metrics() of a recording; it may be that of another run of the same experiment.
    std::vector<RecordedMetric> recorded;
    Input input;       ///< as generated; shared, never copied
    Outputs outputs;   ///< what was downloaded or made by host steps in the last sample
    Outputs expected;  ///< the references of those that differ from them

    /// Of the person's own kernel or program; empty: the lesson's.
    bool has_errors() const {
        return std::ranges::any_of(diagnostics,
                                   [](const Diagnostic& one) { return one.level == DiagnosticLevel::error; });
    }
    std::string kernel_name() const { return experiment.kernel ? experiment.kernel->name : std::string(); }
    /// It ran to a result, right or wrong.
    bool measured() const;
    /// That result is wrong, and was not meant to be.
    bool is_wrong() const { return status == Status::mismatch || status == Status::unwritten; }
    /// What the output should have been: where nothing differed, what it is. Null when there is none.
    const Array* right(std::string_view output) const;
    /// For tables and comparisons, which keep thousands: no input, outputs, expected, trace, no text of a
    /// kernel; that of a program stays.
    void drop_arrays();

    double bytes_per_second() const;  ///< bytes_moved over the kernel's median; 0 when not measured
    std::optional<double> fraction_of_copy_ceiling() const;
    // Bytes over the median of the device's copies, and their part of the staged ceilings; 0 and nullopt when
    // there is nothing to say.
    double upload_bytes_per_second() const;
    double download_bytes_per_second() const;
    std::optional<double> fraction_of_upload_ceiling() const;
    std::optional<double> fraction_of_download_ceiling() const;
    double operations_per_second() const;  ///< operations over the kernel's median
};

}  // namespace gridstride
