// Builds traces by hand, from the words that an instrumented kernel would write.
#pragma once

#include "test_includes.h"
#include "trace/findings.h"
#include "trace/trace.h"

namespace gridstride::trace::test {

inline Site site_of(SiteKind kind, MemorySpace space, std::string variable, std::uint32_t line,
                    ValueType type = ValueType::u32) {
    Site site;
    site.kind = kind;
    site.file = "kernel.comp";
    site.line = line;
    site.variable = std::move(variable);
    site.space = space;
    site.bytes = site.element_bytes = 4;
    site.value = type;
    return site;
}
inline Site shared(SiteKind kind, std::uint32_t line, std::uint64_t elements = 1024) {
    Site site = site_of(kind, MemorySpace::workgroup, "sums", line);
    site.variable_bytes = 4 * elements;
    return site;
}
inline Site bound(SiteKind kind, std::uint32_t line, std::uint32_t binding = 0) {
    Site site = site_of(kind, MemorySpace::buffer, binding == 0 ? "numbers" : "others", line);
    site.binding = binding;
    return site;
}
inline Site barrier(std::uint32_t line, bool buffers = false) {
    Site site = site_of(SiteKind::barrier, MemorySpace::workgroup, "", line, ValueType::none);
    site.bytes = site.element_bytes = 0;
    site.orders_workgroup = true;
    site.orders_buffers = buffers;
    return site;
}
inline Site subgroup_barrier(std::uint32_t line) {
    Site site = barrier(line, true);
    site.is_subgroup_barrier = true;
    return site;
}
/// The same site with this many adjacent components per access.
inline Site vector(Site site, std::uint32_t components) {
    site.components = components;
    site.bytes = site.element_bytes = site.bytes * components;
    return site;
}

class TraceBuilder {
 public:
    TraceBuilder(const Extent& workgroup, const Extent& grid, std::uint32_t subgroup_size = 4) {
        trace_.kernel = "lesson/kernel.comp";
        trace_.workgroup = workgroup;
        trace_.grid = grid;
        trace_.last_workgroup = grid.product() - 1;
        trace_.subgroup_size = subgroup_size;
        trace_.banks = 32;
        trace_.buffers = {{"numbers", ElementType::u32, 1024}, {"others", ElementType::u32, 1024}};
    }

    std::uint32_t add(const Site& site) {
        trace_.sites.push_back(site);
        return static_cast<std::uint32_t>(trace_.sites.size() - 1);
    }

    void at(std::uint32_t workgroup, std::uint32_t invocation, std::uint32_t site, std::uint64_t offset = 0,
            std::vector<std::uint32_t> value = {}, std::uint32_t out_of_bounds_mask = 0) {
        Counters& counters = counters_[{workgroup, invocation}];
        const std::uint32_t width = trace_.subgroup_size;
        words_.insert(words_.end(), {site | out_of_bounds_mask << 16, workgroup,
                                     invocation | invocation % width << 12 | invocation / width << 19, slice_,
                                     counters.sequence++, counters.epoch, counters.subgroup_epoch,
                                     static_cast<std::uint32_t>(offset)});
        const Site& what = trace_.sites[site];
        value.resize(words::length - words::values);
        words_.insert(words_.end(), value.begin(), value.end());
        if (what.kind != SiteKind::barrier) return;
        ++counters.subgroup_epoch;
        if (!what.is_subgroup_barrier) ++counters.epoch;
    }

    /// Calls body(workgroup, invocation) for every invocation.
    template <class Body>
    void each(Body body) {
        for (std::uint32_t workgroup = 0; workgroup < trace_.grid.product(); ++workgroup)
            for (std::uint32_t i = 0; i < trace_.workgroup.product(); ++i)
                body(workgroup, i);
    }
    void all_wait(std::uint32_t site) {
        each([&](std::uint32_t workgroup, std::uint32_t i) { at(workgroup, i, site); });
    }

    /// Later records belong to another dispatch of the same launch.
    void next_slice(std::uint32_t first) {
        slice_ = first;
        counters_.clear();
    }

    Trace& trace() { return trace_; }
    std::vector<std::uint32_t>& words() { return words_; }

    Trace build() const { return build(words_); }
    Trace build(std::vector<std::uint32_t> words) const {
        std::vector<std::uint32_t> all(words::head);
        all[words::used] = all[words::capacity] = static_cast<std::uint32_t>(words.size() / words::length);
        all[words::last] = static_cast<std::uint32_t>(trace_.last_workgroup);
        all[words::lost] = static_cast<std::uint32_t>(trace_.lost);
        all.insert(all.end(), words.begin(), words.end());
        Trace trace = trace_;
        trace.words = share(std::span<const std::uint32_t>(all));
        return trace;
    }
    std::vector<Record> records() const { return decode_records(build()); }
    std::vector<Finding> findings() const {
        const Trace trace = build();
        return compute_findings(trace, decode_records(trace));
    }
    std::vector<Finding> findings(FindingKind kind) const {
        std::vector<Finding> result;
        for (Finding& finding : findings())
            if (finding.kind == kind) result.push_back(std::move(finding));
        return result;
    }

 private:
    struct Counters {
        std::uint32_t sequence = 0, epoch = 0, subgroup_epoch = 0;
    };
    Trace trace_;
    std::vector<std::uint32_t> words_;
    std::uint32_t slice_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Counters> counters_;
};

}  // namespace gridstride::trace::test
