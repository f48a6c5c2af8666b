#include "trace/races.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "trace/memory_map.h"
#include "trace/sort.h"

namespace gridstride::trace {

namespace {

/// The intervals between barriers in which an access lies. Accesses in different intervals are ordered.
struct BarrierInterval {
    std::uint32_t workgroup_epoch = 0;
    std::uint32_t subgroup_epoch = 0;
};

/// Returns for each record its interval between the barriers that order the memory it accesses; empty if all
/// barriers order all memory.
std::vector<BarrierInterval> ordered_intervals(const Trace& trace, std::span<const Record> records) {
    std::vector<BarrierInterval> intervals(records.size());
    std::array<BarrierInterval, 2> now{};  // by space
    bool differs = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        const bool is_same_invocation = i > 0 && records[i - 1].workgroup == record.workgroup &&
                                        records[i - 1].invocation == record.invocation &&
                                        records[i - 1].dispatch == record.dispatch;
        if (!is_same_invocation) now.fill({record.epoch, record.subgroup_epoch});
        const Site& site = trace.sites[record.site];
        if (site.kind == SiteKind::barrier) {
            for (const MemorySpace space : {MemorySpace::workgroup, MemorySpace::buffer}) {
                if (!(space == MemorySpace::workgroup ? site.orders_workgroup : site.orders_buffers))
                    continue;
                BarrierInterval& interval = now.at(static_cast<std::size_t>(space));
                interval.subgroup_epoch = record.subgroup_epoch + 1;
                if (!site.is_subgroup_barrier) interval.workgroup_epoch = record.epoch + 1;
            }
        } else {
            intervals[i] = now.at(static_cast<std::size_t>(site.space));
            differs |= intervals[i].workgroup_epoch != record.epoch ||
                       intervals[i].subgroup_epoch != record.subgroup_epoch;
        }
    }
    if (!differs) intervals.clear();
    return intervals;
}

/// Released: a later atomic may have released the access. Acquired: an earlier atomic may have acquired the
/// accesses of others. The test is conservative: an atomic of the same subgroup counts unless a workgroup
/// barrier puts it on the wrong side, because lanes of a subgroup can communicate in ways that are not
/// recorded. An atomic of the same workgroup counts if a barrier puts it on the right side. Which atomic read
/// from which is ignored.
struct Publication {
    bool may_be_released = false, may_be_acquired = false;
};
class AtomicPublications {
 public:
    AtomicPublications(const Trace& trace, std::span<const Record> records)
        : in_subgroup_(records.size()), inside_(records.size()), between_(records.size()) {
        for_each_run(
            0, records.size(),
            [&](std::size_t a, std::size_t b) { return records[a].workgroup == records[b].workgroup; },
            [&](std::size_t begin, std::size_t end) { add_workgroup(trace, records, begin, end); });
    }
    Publication in_subgroup(std::uint32_t record) const { return in_subgroup_[record]; }
    Publication inside(std::uint32_t record) const { return inside_[record]; }
    Publication between(std::uint32_t record) const { return between_[record]; }

 private:
    struct Atomics {
        std::uint32_t last_release = 0, first_acquire = UINT32_MAX;  ///< epochs, counted from 1
        void add(const Site& site, const Record& record) {
            if (site.releases) last_release = std::max(last_release, record.epoch + 1);
            if (site.acquires) first_acquire = std::min(first_acquire, record.epoch + 1);
        }
        /// same_epoch: atomics in the epoch of the access count, too.
        Publication visible_from(const Record& record, bool same_epoch) const {
            const std::uint32_t here = record.epoch + 1;
            if (same_epoch) return {last_release >= here, first_acquire <= here};
            return {last_release > here, first_acquire < here};
        }
    };

    void add_workgroup(const Trace& trace, std::span<const Record> records, std::size_t begin,
                       std::size_t end) {
        Atomics workgroup_atomics;
        // For each subgroup its atomics by the scope they need: subgroup, workgroup, device. Between
        // workgroups, only atomics on buffers count.
        std::map<std::uint16_t, std::array<Atomics, 3>> subgroup_atomics;
        for (std::size_t i = begin; i < end; ++i) {
            const Site& site = trace.sites[records[i].site];
            if (site.kind != SiteKind::atomic || (!site.releases && !site.acquires)) continue;
            auto& [in_subgroup, inside, buffer_atomics] = subgroup_atomics[records[i].subgroup];
            if (site.scope >= Scope::subgroup) in_subgroup.add(site, records[i]);
            if (site.scope >= Scope::workgroup) inside.add(site, records[i]);
            if (site.space != MemorySpace::buffer || site.scope < Scope::device) continue;
            buffer_atomics.add(site, records[i]);
            workgroup_atomics.add(site, records[i]);
        }
        if (subgroup_atomics.empty()) return;
        for (std::size_t i = begin; i < end; ++i) {
            const auto found = subgroup_atomics.find(records[i].subgroup);
            const std::array<Atomics, 3> own =
                found == subgroup_atomics.end() ? std::array<Atomics, 3>{} : found->second;
            in_subgroup_[i] = own[0].visible_from(records[i], true);
            inside_[i] = own[1].visible_from(records[i], true);
            const Publication by_subgroup = own[2].visible_from(records[i], true);
            const Publication by_workgroup = workgroup_atomics.visible_from(records[i], false);
            between_[i] = {by_subgroup.may_be_released || by_workgroup.may_be_released,
                           by_subgroup.may_be_acquired || by_workgroup.may_be_acquired};
        }
    }

    std::vector<Publication> in_subgroup_, inside_, between_;
};

/// Returns true if two stores write the same value to the `bytes` bytes from `from` on.
bool write_same_value(const Trace& trace, const Record& a, const Record& b, std::uint64_t from,
                      std::uint64_t bytes) {
    const Site& site = trace.sites[a.site];
    const Site& other = trace.sites[b.site];
    if (site.kind != SiteKind::store || other.kind != SiteKind::store) return false;
    if (value_words(site) == 0 || value_words(other) == 0) return false;
    if (a.offset == b.offset && site.value == other.value && site.components == other.components &&
        value_words(site) * 4 >= site.bytes)
        return a.value == b.value;
    // Otherwise words are compared, if the values are recorded as in memory (32- or 64-bit types).
    for (std::uint64_t at = from; at < from + bytes; at += 4) {
        const auto word = [at](const Site& of, const Record& record) -> std::optional<std::uint32_t> {
            const std::uint64_t in = at - record.offset;
            const bool whole = of.bytes == std::uint64_t{value_words(of)} * 4;
            if (!whole || in % 4 != 0 || in / 4 >= record.value.size()) return std::nullopt;
            return record.value.at(in / 4);
        };
        const std::optional<std::uint32_t> one = word(site, a), two = word(other, b);
        if (!one || !two || *one != *two) return false;
    }
    return true;
}

/// Accesses to one cell in one interval with the same site and the same publication by atomics.
struct AccessGroup {
    std::uint32_t site = 0;
    Publication publication;
    std::uint32_t first = 0, other = no_record;  ///< records: the first, and the first by a different actor
    bool same_value = true;
};

class RaceFinder {
 public:
    RaceFinder(const Trace& trace, std::span<const Record> records)
        : trace_(trace), records_(records), memories_(map_memory(trace, records)) {
        races_.partners.assign(records.size(), no_record);
    }

    Races find() {
        std::optional<std::vector<UnitAccess>> accesses = split_accesses(
            trace_, records_, memories_, [&](const Record& record) { return memories_.of(record).unit; });
        if (!accesses) {
            races_.exceeds_limit = true;
            return std::move(races_);
        }
        accesses_ = std::move(*accesses);
        const AtomicPublications publications(trace_, records_);
        find_races_within_workgroups(
            Ordering::none,
            [&](std::uint32_t i) {
                return BarrierInterval{records_[i].epoch, records_[i].subgroup_epoch};
            },
            publications);
        if (const std::vector<BarrierInterval> ordered = ordered_intervals(trace_, records_);
            !ordered.empty())
            find_races_within_workgroups(
                Ordering::wrong_memory, [&](std::uint32_t i) { return ordered[i]; }, publications);
        find_races_between_workgroups([&](std::uint32_t i) { return publications.between(i); });
        for (auto& [sites, by_order] : found_)
            for (const Ordering order : {Ordering::none, Ordering::wrong_memory, Ordering::undecidable}) {
                const std::optional<Race>& race = by_order.at(static_cast<std::size_t>(order));
                if (!race) continue;
                races_.pairs.push_back(*race);
                break;
            }
        return std::move(races_);
    }

 private:
    const Record& record_at(std::size_t place) const { return records_[accesses_[order_[place]].record]; }
    std::uint64_t cell_at(std::size_t place) const { return accesses_[order_[place]].cell; }
    std::uint32_t memory_at(std::size_t place) const {
        return memories_.index_of_site[record_at(place).site];
    }

    void sort_by_cell() {
        sort_by(order_, [&](std::uint32_t t) { return accesses_[t].cell; });
        sort_by(order_,
                [&](std::uint32_t t) { return memories_.index_of_site[records_[accesses_[t].record].site]; });
    }
    bool same_cell(std::size_t a, std::size_t b) const {
        return cell_at(a) == cell_at(b) && memory_at(a) == memory_at(b);
    }

    template <class IntervalOf>
    void find_races_within_workgroups(Ordering order, IntervalOf interval,
                                      const AtomicPublications& publications) {
        const auto inside = [&](std::uint32_t i) { return publications.inside(i); };
        const auto in_subgroup_only = [&](std::uint32_t i) { return publications.in_subgroup(i); };
        const auto key = [&](auto member) {
            sort_by(order_, [&](std::uint32_t t) { return member(accesses_[t].record); });
        };
        order_ = make_indices(accesses_.size());
        key([&](std::uint32_t i) { return interval(i).subgroup_epoch; });
        key([&](std::uint32_t i) { return records_[i].subgroup; });
        key([&](std::uint32_t i) { return interval(i).workgroup_epoch; });
        key([&](std::uint32_t i) { return records_[i].workgroup; });
        sort_by_cell();
        const auto interval_at = [&](std::size_t place) { return interval(accesses_[order_[place]].record); };
        const auto same_group = [&](std::size_t a, std::size_t b) {
            return same_cell(a, b) && record_at(a).workgroup == record_at(b).workgroup &&
                   interval_at(a).workgroup_epoch == interval_at(b).workgroup_epoch;
        };
        const auto in_subgroup = [&](std::size_t a, std::size_t b) {
            return record_at(a).subgroup == record_at(b).subgroup &&
                   interval_at(a).subgroup_epoch == interval_at(b).subgroup_epoch;
        };
        for_each_run(0, order_.size(), same_group, [&](std::size_t begin, std::size_t end) {
            counted_.clear();
            find_conflicts(begin, end, order, Scope::workgroup, inside,
                           [](const Record& r) { return r.subgroup; });
            for_each_run(begin, end, in_subgroup, [&](std::size_t from, std::size_t to) {
                find_conflicts(from, to, order, Scope::subgroup, in_subgroup_only,
                               [](const Record& r) { return r.invocation; });
            });
        });
    }

    template <class PublicationOf>
    void find_races_between_workgroups(PublicationOf publication) {
        order_ = make_indices(accesses_.size());
        std::erase_if(order_, [&](std::uint32_t t) {
            return trace_.sites[records_[accesses_[t].record].site].space != MemorySpace::buffer;
        });
        sort_by(order_, [&](std::uint32_t t) { return records_[accesses_[t].record].dispatch; });
        sort_by_cell();
        const auto same_group = [&](std::size_t a, std::size_t b) {
            return same_cell(a, b) && record_at(a).dispatch == record_at(b).dispatch;
        };
        for_each_run(0, order_.size(), same_group, [&](std::size_t begin, std::size_t end) {
            counted_.clear();
            find_conflicts(begin, end, Ordering::none, Scope::device, publication,
                           [](const Record& r) { return r.workgroup; });
        });
    }

    /// Finds conflicting pairs of sites among accesses to one cell. all: the scope that includes all actors.
    template <class PublicationOf, class Actor>
    void find_conflicts(std::size_t begin, std::size_t end, Ordering order, Scope all,
                        PublicationOf publication, Actor actor) {
        if (end - begin < 2) return;
        groups_.clear();
        group_of_.resize(end - begin);
        for (std::size_t place = begin; place < end; ++place) {
            const std::uint32_t record = accesses_[order_[place]].record;
            const std::size_t group = find_or_add_group(record, publication(record));
            group_of_[place - begin] = group;
            AccessGroup& own = groups_[group];
            if (own.other == no_record && actor(records_[record]) != actor(records_[own.first]))
                own.other = record;
            own.same_value = own.same_value && writes_same_value(own.first, record, begin);
        }
        std::vector<std::pair<std::size_t, std::size_t>> races;
        for (std::size_t a = 0; a < groups_.size(); ++a)
            for (std::size_t b = a; b < groups_.size(); ++b) {
                const std::optional<std::pair<std::uint32_t, std::uint32_t>> two =
                    find_conflicting_pair(a, b, all, actor);
                if (!two) continue;
                const bool undecidable = may_be_ordered(groups_[a].publication, groups_[b].publication);
                add_conflict(*two, undecidable ? Ordering::undecidable : order, all == Scope::device,
                             cell_at(begin),
                             groups_[a].same_value && groups_[b].same_value &&
                                 writes_same_value(two->first, two->second, begin));
                if (!undecidable && order == Ordering::none) races.emplace_back(a, b);
            }
        if (!races.empty()) assign_partners(begin, end, races, actor);
    }

    std::size_t find_or_add_group(std::uint32_t record, Publication publication) {
        const std::uint32_t site = records_[record].site;
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (groups_[i].site == site &&
                groups_[i].publication.may_be_released == publication.may_be_released &&
                groups_[i].publication.may_be_acquired == publication.may_be_acquired)
                return i;
        groups_.push_back({site, publication, record});
        return groups_.size() - 1;
    }

    static bool may_be_ordered(Publication a, Publication b) {
        return (a.may_be_released && b.may_be_acquired) || (b.may_be_released && a.may_be_acquired);
    }

    bool writes_same_value(std::uint32_t a, std::uint32_t b, std::size_t place) const {
        const std::uint64_t unit = memories_.all[memory_at(place)].unit;
        return write_same_value(trace_, records_[a], records_[b], cell_at(place) * unit, unit);
    }

    /// Returns two conflicting records of groups a and b by different actors, or nullopt. a may equal b.
    template <class Actor>
    std::optional<std::pair<std::uint32_t, std::uint32_t>> find_conflicting_pair(std::size_t a, std::size_t b,
                                                                                 Scope all,
                                                                                 Actor actor) const {
        const AccessGroup& one = groups_[a];
        const AccessGroup& two = groups_[b];
        const Site &site = trace_.sites[one.site], &other = trace_.sites[two.site];
        if (site.kind == SiteKind::load && other.kind == SiteKind::load) return std::nullopt;
        if (site.kind == SiteKind::atomic && other.kind == SiteKind::atomic &&
            std::min(site.scope, other.scope) >= all)
            return std::nullopt;
        if (a != b && actor(records_[one.first]) != actor(records_[two.first]))
            return std::pair(one.first, two.first);
        if (two.other != no_record) return std::pair(one.first, two.other);
        if (one.other != no_record) return std::pair(one.other, two.first);
        return std::nullopt;
    }

    /// Adds a conflict at a cell. A pair of sites is counted once per cell and interval.
    void add_conflict(std::pair<std::uint32_t, std::uint32_t> two, Ordering order, bool between,
                      std::uint64_t cell, bool same_value) {
        if (records_[two.first].site > records_[two.second].site) std::swap(two.first, two.second);
        const std::pair sites(records_[two.first].site, records_[two.second].site);
        std::optional<Race>& slot = found_[sites].at(static_cast<std::size_t>(order));
        if (!slot) {
            slot.emplace();
            slot->order = order;
            slot->site = sites.first;
            slot->other_site = sites.second;
            slot->same_value = true;
            slot->is_between_workgroups = between;
            slot->first = two.first;
            slot->other = two.second;
        }
        Race& race = *slot;
        race.same_value = race.same_value && same_value;
        const std::pair<const Race*, std::uint64_t> here(&race, cell);
        if (std::find(counted_.begin(), counted_.end(), here) == counted_.end()) {
            counted_.push_back(here);
            ++(between ? race.between : race.inside);
        }
        // The reported case is the earliest of the first workgroup, but cells are visited by address.
        const auto moment = [&](std::size_t i) {
            return std::pair(records_[i].workgroup, records_[i].epoch);
        };
        if (!between && moment(two.first) < moment(race.first)) {
            race.first = two.first;
            race.other = two.second;
        }
    }

    /// Gives each access of the racing groups a partner: an access of the other group by a different actor.
    template <class Actor>
    void assign_partners(std::size_t begin, std::size_t end,
                         const std::vector<std::pair<std::size_t, std::size_t>>& races, Actor actor) {
        for (std::size_t place = begin; place < end; ++place) {
            const std::uint32_t record = accesses_[order_[place]].record;
            std::uint32_t& partner = races_.partners[record];
            for (const auto& [a, b] : races) {
                if (partner != no_record) break;
                const std::size_t group = group_of_[place - begin];
                if (group != a && group != b) continue;
                const AccessGroup& partner_group = groups_[group == a ? b : a];
                if (actor(records_[partner_group.first]) != actor(records_[record]))
                    partner = partner_group.first;
                else if (partner_group.other != no_record)
                    partner = partner_group.other;
            }
        }
    }

    const Trace& trace_;
    std::span<const Record> records_;
    MemoryMap memories_;
    std::vector<UnitAccess> accesses_;
    std::vector<std::uint32_t> order_;   ///< indices into accesses_, sorted for the current pass
    std::vector<AccessGroup> groups_;    ///< of the current cell
    std::vector<std::size_t> group_of_;  ///< index into groups_ for each access to it
    std::vector<std::pair<const Race*, std::uint64_t>> counted_;  ///< in the current interval
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::optional<Race>, 3>> found_;
    Races races_;
};

}  // namespace

Races find_races(const Trace& trace, std::span<const Record> records) {
    return RaceFinder(trace, records).find();
}

std::vector<std::uint32_t> race_partners(const Trace& trace, std::span<const Record> records) {
    return find_races(trace, records).partners;
}

}  // namespace gridstride::trace
