// The limits of a run's time: findings from its times, its trace and the measured ceilings of its device,
// with the largest gain that mending each of them could bring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/plan.h"
#include "lesson/analyzed_trace.h"
#include "lesson/plot.h"
#include "lesson/report.h"
#include "trace/trace_text.h"

namespace gridstride {

enum class LimitKind {
    memory_rate,
    arithmetic_rate,
    launches,
    sectors,
    bank_conflicts,
    divergence,
    barriers,
    contended_atomics,
    few_workgroups,
    last_wave,
    bytes_in_flight,
    residence,
    unexplained,
    transfers,  ///< this and the next are about the whole run, the others about the kernel
    submits,
};
constexpr LimitKind last_enumerator(LimitKind) {
    return LimitKind::submits;
}
std::string_view name(LimitKind kind);  ///< "bank_conflicts"

/// One of the explanations that fit a finding.
struct Explanation {
    std::string cause;         ///< a sentence
    std::string sweep_result;  ///< what the sweep shows if this is the cause; no capital, no full stop
};
std::string explanation_text(const Explanation& explanation);

struct LimitFinding {
    LimitKind kind = LimitKind::unexplained;
    std::string title;     ///< "Bank conflicts at line 31"
    std::string evidence;  ///< sentences with the numbers that the finding rests on
    Origin origin = Origin::measured;
    /// An upper bound: how many times as long the kernel (or the whole run) takes now as it could without
    /// this. At least 1.
    double max_speedup = 1;
    /// The run and its trace do not show whether this costs time: only `experiment` can tell.
    bool is_unclear = false;
    std::vector<trace::SourceLine> lines = {};  ///< with the largest cost first
    /// At least two, which the run cannot tell apart; empty: there is only one.
    std::vector<Explanation> explanations = {};
    /// The parameter whose sweep tells whether this finding is the cause, and which of the explanations
    /// holds; empty: none.
    std::string experiment = {};

    bool is_of_run() const { return kind >= LimitKind::transfers; }
};

/// A smaller gain is within the noise of most runs, so a finding below it counts as "nothing to gain".
constexpr double min_speedup = 1.05;

struct RunLimits {
    /// Those of the kernel by decreasing max_speedup, unclear ones after the others, then those of the run.
    std::vector<LimitFinding> findings;
    /// The median kernel time, and the shortest that the ceilings allow for the task: its least bytes, its
    /// operations, or one empty dispatch. 0: not measured.
    double kernel_ns = 0, floor_ns = 0;
    std::string floor_text;  ///< a sentence about them
    std::string missing;     ///< a sentence that says what is unknown, and why; empty: nothing
    /// A sentence that says which launch was traced, whose lines the findings name; empty: the plan has one.
    std::string traced_launch;
    /// Titles of the findings that are left out because their ceilings are not measured.
    std::vector<std::string> unmeasured_titles;
    // Operations per byte. nullopt: the lesson declares no operations, or there is no trace.
    std::optional<double> min_bytes_intensity;  ///< of the bytes that the task must move (computed)
    std::optional<double> accessed_intensity;   ///< of the bytes that invocations access (traced)
};

/// Finds what limits a measured run. `analysis`: a trace of the same experiment, or null.
///
/// The bounds follow from a simple model. Each resource is busy for the amount that the run needed of it,
/// divided by the device's measured rate. Mending a flaw saves at most what it needs too much, and the kernel
/// never becomes faster than the other resources allow (S. Williams, A. Waterman, D. Patterson, "Roofline",
/// Communications of the ACM 52(4), 2009).
RunLimits find_run_limits(const Report& run, const AnalyzedTrace* analysis);

/// Returns the launch whose dispatches took longest, as an index among the plan's launches: the one to trace.
std::uint32_t find_longest_launch(const Report& run, const Plan& plan);

/// Returns the lesson that teaches what the finding is about, such as "banks".
std::string_view teaching_lesson(LimitKind kind);

}  // namespace gridstride
