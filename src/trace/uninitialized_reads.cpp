#include "trace/uninitialized_reads.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "trace/memory_map.h"
#include "trace/sort.h"

namespace gridstride::trace {

namespace {

/// The earliest stores to some bytes, by the barriers that their invocations had passed.
class FirstStores {
 public:
    void add(const Record& store) {
        is_of_several_workgroups_ =
            is_of_several_workgroups_ || (!is_empty_ && store.workgroup != workgroup_);
        if (is_empty_ || store.epoch < epoch_) {
            is_empty_ = is_of_several_ = false;
            epoch_ = store.epoch;
            workgroup_ = store.workgroup;
            invocation_ = store.invocation;
            sequence_ = store.sequence;
        } else if (store.epoch == epoch_) {
            is_of_several_ = is_of_several_ || store.invocation != invocation_;
            sequence_ = std::min(sequence_, store.sequence);
        }
    }

    /// Returns whether one of them may come before the read.
    bool may_precede(const Record& read) const {
        if (is_empty_) return false;
        // Nothing orders the accesses of two workgroups.
        if (is_of_several_workgroups_ || read.workgroup != workgroup_) return true;
        if (read.epoch != epoch_) return read.epoch > epoch_;
        return is_of_several_ || read.invocation != invocation_ || read.sequence > sequence_;
    }

 private:
    bool is_empty_ = true, is_of_several_ = false, is_of_several_workgroups_ = false;
    std::uint32_t epoch_ = 0, workgroup_ = 0, sequence_ = 0;
    std::uint16_t invocation_ = 0;
};

}  // namespace

std::optional<std::vector<UninitializedReads>> find_uninitialized_reads(const Trace& trace,
                                                                        std::span<const Record> records) {
    const MemoryMap memories = map_memory(trace, records);
    const auto site_of = [&](const UnitAccess& access) -> const Site& {
        return trace.sites[records[access.record].site];
    };
    const auto accesses =
        split_accesses(trace, records, memories, [&](const Record& record) -> std::uint64_t {
            const Site& site = trace.sites[record.site];
            const bool is_checked = site.space == MemorySpace::workgroup ||
                                    (trace.buffers[site.binding].starts_unwritten && trace.is_whole_launch());
            return is_checked ? memories.of(record).unit : 0;
        });
    if (!accesses) return std::nullopt;

    // The accesses to the same bytes stand together: of a variable of a workgroup, or of a buffer.
    const auto workgroup_of = [&](const UnitAccess& access) -> std::uint32_t {
        return site_of(access).space == MemorySpace::workgroup ? records[access.record].workgroup : 0;
    };
    const auto memory_of = [&](const UnitAccess& access) {
        return memories.index_of_site[records[access.record].site];
    };
    std::vector<std::uint32_t> order = make_indices(accesses->size());
    const auto at = [&](std::size_t place) -> const UnitAccess& { return (*accesses)[order[place]]; };
    sort_by(order, [&](std::uint32_t i) { return (*accesses)[i].cell; });
    sort_by(order, [&](std::uint32_t i) { return workgroup_of((*accesses)[i]); });
    sort_by(order, [&](std::uint32_t i) { return memory_of((*accesses)[i]); });
    const auto same_bytes = [&](std::size_t a, std::size_t b) {
        return at(a).cell == at(b).cell && workgroup_of(at(a)) == workgroup_of(at(b)) &&
               memory_of(at(a)) == memory_of(at(b));
    };

    std::set<std::uint32_t> unwritten;  // records, of which several cells may be
    for_each_run(0, order.size(), same_bytes, [&](std::size_t begin, std::size_t end) {
        FirstStores stores, stores_and_atomics;
        for (std::size_t place = begin; place < end; ++place) {
            const SiteKind kind = site_of(at(place)).kind;
            if (kind == SiteKind::store) stores.add(records[at(place).record]);
            if (kind != SiteKind::load) stores_and_atomics.add(records[at(place).record]);
        }
        for (std::size_t place = begin; place < end; ++place) {
            const SiteKind kind = site_of(at(place)).kind;
            const FirstStores& before = kind == SiteKind::atomic ? stores : stores_and_atomics;
            if (kind != SiteKind::store && !before.may_precede(records[at(place).record]))
                unwritten.insert(at(place).record);
        }
    });

    std::map<std::uint32_t, UninitializedReads> reads_by_site;
    for (const std::uint32_t record : unwritten) {
        UninitializedReads& reads =
            reads_by_site
                .try_emplace(records[record].site, UninitializedReads{records[record].site, 0, record})
                .first->second;
        ++reads.reads;
    }
    std::vector<UninitializedReads> all;
    for (const auto& [site, reads] : reads_by_site)
        all.push_back(reads);
    return all;
}

}  // namespace gridstride::trace
