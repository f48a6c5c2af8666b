// The trace of a reduction as a device would record it, written by a simulation without a lab or a device.
#pragma once

#include "lesson/report.h"
#include "test_includes.h"
#include "trace/findings.h"

namespace gridstride::ui {

/// A trace of tree_sequential.comp: it loads numbers, adds them in a tree and stores a partial sum per
/// workgroup.
struct TraceCase {
    std::uint32_t lanes = 128;
    std::uint32_t groups = 8;
    std::uint32_t subgroup = 32;
    bool first_barrier = true;  ///< the barrier after the load
    std::uint32_t tiles = 1;    ///< the number of tiles that each workgroup adds

    static constexpr std::uint32_t load_numbers = 0, store_sums = 1, first_wait = 2, load_other = 3,
                                   load_own = 4, store_level = 5, level_wait = 6, load_total = 7,
                                   store_partial = 8;

    /// The line of the shipped kernel that contains this text; the first line is 1.
    static std::uint32_t line_with(std::string_view words) {
        const std::string text = read_file(GRIDSTRIDE_SOURCE_DIR "/shaders/reduction/tree_sequential.comp");
        const std::size_t at = text.find(words);
        return 1 + static_cast<std::uint32_t>(
                       std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }

    trace::Trace make() const;
    /// Adds the trace and its findings to the report, as the lab does after tracing.
    static void put(trace::Trace trace, Report& report) {
        try {
            report.findings = trace::compute_findings(trace, trace::decode_records(trace));
        } catch (const std::runtime_error&) {  // a damaged trace has no findings
            report.findings.clear();
        }
        report.trace = std::move(trace);
    }

    trace::Trace make_without_words() const {
        const std::string file = "reduction/tree_sequential.comp";
        const auto site = [&](trace::SiteKind kind, std::string_view words, const char* variable,
                              trace::MemorySpace space, std::uint32_t binding, std::uint64_t elements) {
            trace::Site new_site;
            new_site.kind = kind;
            new_site.file = file;
            new_site.line = line_with(words);
            new_site.variable = variable;
            new_site.space = space;
            new_site.binding = binding;
            if (kind == trace::SiteKind::barrier) {
                new_site.orders_workgroup = true;
                return new_site;
            }
            new_site.bytes = new_site.element_bytes = 4;
            new_site.variable_bytes = space == trace::MemorySpace::workgroup ? elements * 4 : 0;
            new_site.value = trace::ValueType::u32;
            return new_site;
        };
        using trace::MemorySpace;
        using trace::SiteKind;
        const char* const load = "sums[lane] = i <";
        const char* const level = "sums[lane] += sums";
        trace::Trace result;
        result.kernel = file;
        result.launch = "sum of each workgroup";
        result.workgroup = {lanes};
        result.grid = {groups};
        result.last_workgroup = groups - 1;
        result.subgroup_size = subgroup;
        result.banks = 32;
        result.sites = {
            site(SiteKind::load, load, "numbers", MemorySpace::buffer, 0, 0),
            site(SiteKind::store, load, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::barrier, "if (barrier_after_load)", "", MemorySpace::workgroup, 0, 0),
            site(SiteKind::load, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::load, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::store, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::barrier, "            barrier();", "", MemorySpace::workgroup, 0, 0),
            site(SiteKind::load, "total += sums[0]", "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::store, "store_partial_sum(total)", "partial_sums", MemorySpace::buffer, 1, 0)};
        result.buffers = {{.name = "numbers", .elements = std::uint64_t{lanes} * groups * tiles},
                          {.name = "partial_sums", .elements = groups, .output = true}};
        return result;
    }
};

/// Builds the words that the instrumented kernel would write.
class TraceWriter {
 public:
    explicit TraceWriter(const TraceCase& trace_case) : trace_case_(trace_case) {
        words_.assign(trace::words::head, 0);
        for (std::uint32_t group = 0; group < trace_case.groups; ++group)
            run(group);
        words_[trace::words::used] =
            static_cast<std::uint32_t>((words_.size() - trace::words::head) / trace::words::length);
        words_[trace::words::capacity] = words_[trace::words::used];
        words_[trace::words::last] = trace_case.groups - 1;
        words_[trace::words::below] = 1;
    }
    ArrayRef words() const { return share(std::span<const std::uint32_t>(words_)); }

 private:
    struct LaneState {
        std::uint32_t sequence = 0, epoch = 0;
    };
    void add(std::uint32_t group, std::uint32_t lane, std::uint32_t site, std::uint32_t offset,
             std::uint32_t value) {
        LaneState& state = state_[lane];
        const std::uint32_t invocation =
            lane | (lane % trace_case_.subgroup) << 12 | (lane / trace_case_.subgroup) << 19;
        words_.insert(words_.end(), {site, group, invocation, 0, state.sequence++, state.epoch, state.epoch,
                                     offset, value, 0, 0, 0});
    }
    void wait(std::uint32_t group, std::uint32_t site) {
        for (std::uint32_t lane = 0; lane < trace_case_.lanes; ++lane) {
            add(group, lane, site, 0, 0);
            ++state_[lane].epoch;
        }
    }
    void run(std::uint32_t group) {
        state_.assign(trace_case_.lanes, {});
        std::vector<std::uint32_t> sums(trace_case_.lanes);
        std::uint32_t total = 0;
        for (std::uint32_t tile = 0; tile < trace_case_.tiles; ++tile) {
            for (std::uint32_t lane = 0; lane < trace_case_.lanes; ++lane) {
                const std::uint32_t i = (tile * trace_case_.groups + group) * trace_case_.lanes + lane;
                sums[lane] = i + 1;
                add(group, lane, TraceCase::load_numbers, 4 * i, sums[lane]);
                add(group, lane, TraceCase::store_sums, 4 * lane, sums[lane]);
            }
            if (trace_case_.first_barrier) wait(group, TraceCase::first_wait);
            for (std::uint32_t half = trace_case_.lanes / 2; half > 0; half /= 2) {
                for (std::uint32_t lane = 0; lane < half; ++lane) {
                    add(group, lane, TraceCase::load_other, 4 * (lane + half), sums[lane + half]);
                    add(group, lane, TraceCase::load_own, 4 * lane, sums[lane]);
                    sums[lane] += sums[lane + half];
                    add(group, lane, TraceCase::store_level, 4 * lane, sums[lane]);
                }
                wait(group, TraceCase::level_wait);
            }
            add(group, 0, TraceCase::load_total, 0, sums[0]);
            total += sums[0];
        }
        add(group, 0, TraceCase::store_partial, 4 * group, total);
    }

    std::vector<std::uint32_t> words_;
    std::vector<LaneState> state_;

    const TraceCase& trace_case_;
};

inline trace::Trace TraceCase::make() const {
    trace::Trace result = make_without_words();
    result.words = TraceWriter(*this).words();
    return result;
}

}  // namespace gridstride::ui
