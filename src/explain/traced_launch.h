// The use of a launch's resources according to its trace, to explain its time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lesson/analyzed_trace.h"
#include "trace/findings.h"

namespace gridstride {

/// The cost of all requests of one kind, in units of their resource, and the cost that would suffice.
struct RequestCosts {
    double total = 0, needed = 0;
    std::vector<trace::SourceLine> lines;  ///< where `total` exceeds `needed`, the largest waste first
    std::string worst_sentence;            ///< of the site that wastes most; empty: none does
};

/// A traced launch of a measured run. Counts are of its whole grid and of all its repetitions in the run,
/// scaled up from the workgroups that were traced, as if records that did not fit were like those that did.
class TracedLaunch {
 public:
    /// Requires that both outlive this, and that the analysis has no problem.
    TracedLaunch(const Report& run, const AnalyzedTrace& analysis) : run_(run), analysis_(analysis) {}

    const trace::Trace& trace() const { return analysis_.trace(); }

    /// Returns the part of the kernel's time that the launch takes, from the last sample.
    double kernel_ns() const;

    /// Adds up the findings of this kind, scaled to the whole launch: in lanes for activity, else in the unit
    /// of the findings, such as sectors or turns.
    RequestCosts costs(trace::FindingKind kind) const;

    struct BarrierPasses {
        double each_invocation = 0;            ///< on average, of barriers of workgroups
        std::vector<trace::SourceLine> lines;  ///< of these barriers
    };
    BarrierPasses barrier_passes() const;

    struct AtomicRequests {
        double count = 0;
        trace::SourceLine line;
    };
    /// Returns the requests for the address that most of them go to; nullopt: there are no atomics of
    /// buffers. The device combines the atomics of a subgroup to one address, so what costs is requests, not
    /// lanes.
    std::optional<AtomicRequests> contended_atomics() const;

    double accessed_bytes() const;   ///< of buffers
    double mean_load_bytes() const;  ///< of buffers; 0: there are no loads

 private:
    double traced_workgroups() const;
    double lost_factor() const;  ///< from a count of the records that fit to one of all
    double scale() const;        ///< from a count in the trace to one of the run

    const Report& run_;
    const AnalyzedTrace& analysis_;
};

}  // namespace gridstride
