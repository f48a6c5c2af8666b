// A recording of a reduction as a device would make it, written by a plain simulation: no lab and no device.
#pragma once

#include "lesson/report.h"
#include "test_includes.h"
#include "trace/findings.h"

namespace gridstride::ui {

/// The tree of tree_sequential.comp: loads, halves, leaves a partial sum.
struct TraceCase {
    std::uint32_t lanes = 128;
    std::uint32_t groups = 8;
    std::uint32_t subgroup = 32;
    bool first_barrier = true;  ///< behind the load
    std::uint32_t tiles = 1;    ///< each workgroup goes over so many

    static constexpr std::uint32_t load_numbers = 0, store_sums = 1, first_wait = 2, load_other = 3,
                                   load_own = 4, store_level = 5, level_wait = 6, load_total = 7,
                                   store_partial = 8;

    /// The line of the shipped kernel that holds these words, from 1.
    static std::uint32_t line_with(std::string_view words) {
        const std::string text = read_file(GRIDSTRIDE_SOURCE_DIR "/shaders/reduction/tree_sequential.comp");
        const std::size_t at = text.find(words);
        return 1 + static_cast<std::uint32_t>(
                       std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }

    trace::Trace make() const;
    /// What the lab would answer that has recorded it.
    static void put(trace::Trace trace, Report& report) {
        try {
            report.findings = trace::compute_findings(trace, trace::decode_records(trace));
        } catch (const std::runtime_error&) {  // it was damaged on its way: nothing is known of it
            report.findings.clear();
        }
        report.trace = std::move(trace);
    }

    trace::Trace without_words() const {
        const std::string file = "reduction/tree_sequential.comp";
        const auto site = [&](trace::SiteKind kind, std::string_view words, const char* variable,
                              trace::MemorySpace space, std::uint32_t binding, std::uint64_t elements) {
            trace::Site made;
            made.kind = kind;
            made.file = file;
            made.line = line_with(words);
            made.variable = variable;
            made.space = space;
            made.binding = binding;
            if (kind == trace::SiteKind::barrier) {
                made.orders_workgroup = true;
                return made;
            }
            made.bytes = made.element_bytes = 4;
            made.variable_bytes = space == trace::MemorySpace::workgroup ? elements * 4 : 0;
            made.value = trace::ValueType::u32;
            return made;
        };
        using trace::MemorySpace;
        using trace::SiteKind;
        const char* const load = "sums[lane] = i <";
        const char* const level = "sums[lane] += sums";
        trace::Trace made;
        made.kernel = file;
        made.launch = "sum of each workgroup";
        made.workgroup = {lanes};
        made.grid = {groups};
        made.last_workgroup = groups - 1;
        made.subgroup_size = subgroup;
        made.banks = 32;
        made.sites = {
            site(SiteKind::load, load, "numbers", MemorySpace::buffer, 0, 0),
            site(SiteKind::store, load, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::barrier, "if (barrier_after_load)", "", MemorySpace::workgroup, 0, 0),
            site(SiteKind::load, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::load, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::store, level, "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::barrier, "            barrier();", "", MemorySpace::workgroup, 0, 0),
            site(SiteKind::load, "total += sums[0]", "sums", MemorySpace::workgroup, 0, lanes),
            site(SiteKind::store, "leave_partial_sum(total)", "partial_sums", MemorySpace::buffer, 1, 0)};
        made.buffers = {{.name = "numbers", .elements = std::uint64_t{lanes} * groups * tiles},
                        {.name = "partial_sums", .elements = groups, .output = true}};
        return made;
    }
};

/// The words that the recording kernel writes.
class TraceWriter {
 public:
    explicit TraceWriter(const TraceCase& how) : how_(how) {
        words_.assign(trace::words::head, 0);
        for (std::uint32_t group = 0; group < how.groups; ++group)
            run(group);
        words_[trace::words::used] =
            static_cast<std::uint32_t>((words_.size() - trace::words::head) / trace::words::length);
        words_[trace::words::capacity] = words_[trace::words::used];
        words_[trace::words::last] = how.groups - 1;
        words_[trace::words::below] = 1;
    }
    ArrayRef words() const { return share(std::span<const std::uint32_t>(words_)); }

 private:
    struct Lane {
        std::uint32_t sequence = 0, epoch = 0;
    };
    void add(std::uint32_t group, std::uint32_t lane, std::uint32_t site, std::uint32_t offset,
             std::uint32_t value) {
        Lane& now = state_[lane];
        const std::uint32_t invocation = lane | (lane % how_.subgroup) << 12 | (lane / how_.subgroup) << 19;
        words_.insert(words_.end(), {site, group, invocation, 0, now.sequence++, now.epoch, now.epoch, offset,
                                     value, 0, 0, 0});
    }
    void wait(std::uint32_t group, std::uint32_t site) {
        for (std::uint32_t lane = 0; lane < how_.lanes; ++lane) {
            add(group, lane, site, 0, 0);
            ++state_[lane].epoch;
        }
    }
    void run(std::uint32_t group) {
        state_.assign(how_.lanes, {});
        std::vector<std::uint32_t> sums(how_.lanes);
        std::uint32_t total = 0;
        for (std::uint32_t tile = 0; tile < how_.tiles; ++tile) {
            for (std::uint32_t lane = 0; lane < how_.lanes; ++lane) {
                const std::uint32_t i = (tile * how_.groups + group) * how_.lanes + lane;
                sums[lane] = i + 1;
                add(group, lane, TraceCase::load_numbers, 4 * i, sums[lane]);
                add(group, lane, TraceCase::store_sums, 4 * lane, sums[lane]);
            }
            if (how_.first_barrier) wait(group, TraceCase::first_wait);
            for (std::uint32_t half = how_.lanes / 2; half > 0; half /= 2) {
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
    std::vector<Lane> state_;

    const TraceCase& how_;
};

inline trace::Trace TraceCase::make() const {
    trace::Trace made = without_words();
    made.words = TraceWriter(*this).words();
    return made;
}

}  // namespace gridstride::ui
