#include "trace/races.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "trace/memories.h"
#include "trace/sort.h"

namespace gridstride::trace {

namespace {

/// The intervals between barriers in which an access lies. Accesses in different intervals are ordered.
struct Stretch {
    std::uint32_t of_workgroup = 0;
    std::uint32_t of_subgroup = 0;
};

/// Returns for each record its interval between the barriers that order the memory it accesses; empty if all
/// barriers order all memory.
std::vector<Stretch> ordered_stretches(const Trace& trace, std::span<const Record> records) {
    std::vector<Stretch> stretches(records.size());
    std::array<Stretch, 2> now{};  // by space
    bool differs = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        const bool goes_on = i > 0 && records[i - 1].workgroup == record.workgroup &&
                             records[i - 1].invocation == record.invocation &&
                             records[i - 1].dispatch == record.dispatch;
        if (!goes_on) now.fill({record.epoch, record.subgroup_epoch});
        const Site& site = trace.sites[record.site];
        if (site.kind == SiteKind::barrier) {
            for (const Space space : {Space::workgroup, Space::buffer}) {
                if (!(space == Space::workgroup ? site.orders_workgroup : site.orders_buffers)) continue;
                Stretch& stretch = now.at(static_cast<std::size_t>(space));
                stretch.of_subgroup = record.subgroup_epoch + 1;
                if (!site.of_subgroup) stretch.of_workgroup = record.epoch + 1;
            }
        } else {
            stretches[i] = now.at(static_cast<std::size_t>(site.space));
            differs |= stretches[i].of_workgroup != record.epoch ||
                       stretches[i].of_subgroup != record.subgroup_epoch;
        }
    }
    if (!differs) stretches.clear();
    return stretches;
}

/// out: a later atomic may have released the access. in: an earlier atomic may have acquired the accesses of
/// others. The test is conservative: an atomic of the same subgroup counts unless a workgroup barrier puts it
/// on the wrong side, because lanes of a subgroup can communicate in ways that are not recorded. An atomic of
/// the same workgroup counts if a barrier puts it on the right side. Which atomic read from which is ignored.
struct Published {
    bool out = false, in = false;
};
class Publications {
 public:
    Publications(const Trace& trace, std::span<const Record> records)
        : in_subgroup_(records.size()), inside_(records.size()), between_(records.size()) {
        for_each_run(
            0, records.size(),
            [&](std::size_t a, std::size_t b) { return records[a].workgroup == records[b].workgroup; },
            [&](std::size_t begin, std::size_t end) { add_workgroup(trace, records, begin, end); });
    }
    Published in_subgroup(std::uint32_t record) const { return in_subgroup_[record]; }
    Published inside(std::uint32_t record) const { return inside_[record]; }
    Published between(std::uint32_t record) const { return between_[record]; }

 private:
    struct Atomics {
        std::uint32_t last_release = 0, first_acquire = UINT32_MAX;  ///< epochs, counted from 1
        void add(const Site& site, const Record& record) {
            if (site.releases) last_release = std::max(last_release, record.epoch + 1);
            if (site.acquires) first_acquire = std::min(first_acquire, record.epoch + 1);
        }
        /// same_epoch: atomics in the epoch of the access count, too.
        Published seen_from(const Record& record, bool same_epoch) const {
            const std::uint32_t here = record.epoch + 1;
            if (same_epoch) return {last_release >= here, first_acquire <= here};
            return {last_release > here, first_acquire < here};
        }
    };

    void add_workgroup(const Trace& trace, std::span<const Record> records, std::size_t begin,
                       std::size_t end) {
        Atomics of_workgroup;
        // For each subgroup its atomics by the scope they need: subgroup, workgroup, device. Between
        // workgroups, only atomics on buffers count.
        std::map<std::uint16_t, std::array<Atomics, 3>> of_subgroups;
        for (std::size_t i = begin; i < end; ++i) {
            const Site& site = trace.sites[records[i].site];
            if (site.kind != SiteKind::atomic || (!site.releases && !site.acquires)) continue;
            auto& [in_subgroup, inside, of_buffers] = of_subgroups[records[i].subgroup];
            if (site.scope >= Scope::subgroup) in_subgroup.add(site, records[i]);
            if (site.scope >= Scope::workgroup) inside.add(site, records[i]);
            if (site.space != Space::buffer || site.scope < Scope::device) continue;
            of_buffers.add(site, records[i]);
            of_workgroup.add(site, records[i]);
        }
        if (of_subgroups.empty()) return;
        for (std::size_t i = begin; i < end; ++i) {
            const auto found = of_subgroups.find(records[i].subgroup);
            const std::array<Atomics, 3> mine =
                found == of_subgroups.end() ? std::array<Atomics, 3>{} : found->second;
            in_subgroup_[i] = mine[0].seen_from(records[i], true);
            inside_[i] = mine[1].seen_from(records[i], true);
            const Published by_subgroup = mine[2].seen_from(records[i], true);
            const Published by_workgroup = of_workgroup.seen_from(records[i], false);
            between_[i] = {by_subgroup.out || by_workgroup.out, by_subgroup.in || by_workgroup.in};
        }
    }

    std::vector<Published> in_subgroup_, inside_, between_;
};

/// Returns true if two stores write the same value to the `bytes` bytes from `from` on.
bool write_the_same(const Trace& trace, const Record& a, const Record& b, std::uint64_t from,
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
struct Party {
    std::uint32_t site = 0;
    Published published;
    std::uint32_t first = 0, other = no_record;  ///< records: the first, and the first by a different actor
    bool same_value = true;
};

class RaceFinder {
 public:
    RaceFinder(const Trace& trace, std::span<const Record> records)
        : trace_(trace), records_(records), memories_(memories_of(trace, records)) {
        races_.partners.assign(records.size(), no_record);
    }

    Races find() {
        std::optional<std::vector<Touch>> touches = touches_of(
            trace_, records_, memories_, [&](const Record& record) { return memories_.of(record).unit; });
        if (!touches) {
            races_.too_many = true;
            return std::move(races_);
        }
        touches_ = std::move(*touches);
        const Publications publications(trace_, records_);
        inside_workgroups(
            Order::none,
            [&](std::uint32_t i) {
                return Stretch{records_[i].epoch, records_[i].subgroup_epoch};
            },
            publications);
        if (const std::vector<Stretch> ordered = ordered_stretches(trace_, records_); !ordered.empty())
            inside_workgroups(
                Order::unseen, [&](std::uint32_t i) { return ordered[i]; }, publications);
        between_workgroups([&](std::uint32_t i) { return publications.between(i); });
        for (auto& [sites, by_order] : found_)
            for (const Order order : {Order::none, Order::unseen, Order::undecidable}) {
                const std::optional<Race>& race = by_order.at(static_cast<std::size_t>(order));
                if (!race) continue;
                races_.pairs.push_back(*race);
                break;
            }
        return std::move(races_);
    }

 private:
    const Record& record_at(std::size_t place) const { return records_[touches_[order_[place]].record]; }
    std::uint64_t cell_at(std::size_t place) const { return touches_[order_[place]].cell; }
    std::uint32_t memory_at(std::size_t place) const { return memories_.of_site[record_at(place).site]; }

    void sort_by_cell() {
        sort_by(order_, [&](std::uint32_t t) { return touches_[t].cell; });
        sort_by(order_,
                [&](std::uint32_t t) { return memories_.of_site[records_[touches_[t].record].site]; });
    }
    bool same_cell(std::size_t a, std::size_t b) const {
        return cell_at(a) == cell_at(b) && memory_at(a) == memory_at(b);
    }

    template <class StretchOf>
    void inside_workgroups(Order order, StretchOf stretch, const Publications& publications) {
        const auto inside = [&](std::uint32_t i) { return publications.inside(i); };
        const auto in_subgroup_only = [&](std::uint32_t i) { return publications.in_subgroup(i); };
        const auto key = [&](auto member) {
            sort_by(order_, [&](std::uint32_t t) { return member(touches_[t].record); });
        };
        order_ = numbers_to(touches_.size());
        key([&](std::uint32_t i) { return stretch(i).of_subgroup; });
        key([&](std::uint32_t i) { return records_[i].subgroup; });
        key([&](std::uint32_t i) { return stretch(i).of_workgroup; });
        key([&](std::uint32_t i) { return records_[i].workgroup; });
        sort_by_cell();
        const auto stretch_at = [&](std::size_t place) { return stretch(touches_[order_[place]].record); };
        const auto together = [&](std::size_t a, std::size_t b) {
            return same_cell(a, b) && record_at(a).workgroup == record_at(b).workgroup &&
                   stretch_at(a).of_workgroup == stretch_at(b).of_workgroup;
        };
        const auto in_subgroup = [&](std::size_t a, std::size_t b) {
            return record_at(a).subgroup == record_at(b).subgroup &&
                   stretch_at(a).of_subgroup == stretch_at(b).of_subgroup;
        };
        for_each_run(0, order_.size(), together, [&](std::size_t begin, std::size_t end) {
            counted_.clear();
            conflicts(begin, end, order, Scope::workgroup, inside,
                      [](const Record& r) { return r.subgroup; });
            for_each_run(begin, end, in_subgroup, [&](std::size_t from, std::size_t to) {
                conflicts(from, to, order, Scope::subgroup, in_subgroup_only,
                          [](const Record& r) { return r.invocation; });
            });
        });
    }

    template <class PublishedOf>
    void between_workgroups(PublishedOf published) {
        order_ = numbers_to(touches_.size());
        std::erase_if(order_, [&](std::uint32_t t) {
            return trace_.sites[records_[touches_[t].record].site].space != Space::buffer;
        });
        sort_by(order_, [&](std::uint32_t t) { return records_[touches_[t].record].dispatch; });
        sort_by_cell();
        const auto together = [&](std::size_t a, std::size_t b) {
            return same_cell(a, b) && record_at(a).dispatch == record_at(b).dispatch;
        };
        for_each_run(0, order_.size(), together, [&](std::size_t begin, std::size_t end) {
            counted_.clear();
            conflicts(begin, end, Order::none, Scope::device, published,
                      [](const Record& r) { return r.workgroup; });
        });
    }

    /// Finds conflicting pairs of sites among accesses to one cell. all: the scope that includes all actors.
    template <class PublishedOf, class Actor>
    void conflicts(std::size_t begin, std::size_t end, Order order, Scope all, PublishedOf published,
                   Actor actor) {
        if (end - begin < 2) return;
        parties_.clear();
        party_of_.resize(end - begin);
        for (std::size_t place = begin; place < end; ++place) {
            const std::uint32_t record = touches_[order_[place]].record;
            const std::size_t party = party_for(record, published(record));
            party_of_[place - begin] = party;
            Party& mine = parties_[party];
            if (mine.other == no_record && actor(records_[record]) != actor(records_[mine.first]))
                mine.other = record;
            mine.same_value = mine.same_value && the_same(mine.first, record, begin);
        }
        std::vector<std::pair<std::size_t, std::size_t>> races;
        for (std::size_t a = 0; a < parties_.size(); ++a)
            for (std::size_t b = a; b < parties_.size(); ++b) {
                const std::optional<std::pair<std::uint32_t, std::uint32_t>> two =
                    two_actors(a, b, all, actor);
                if (!two) continue;
                const bool undecidable = may_be_in_order(parties_[a].published, parties_[b].published);
                note(*two, undecidable ? Order::undecidable : order, all == Scope::device, cell_at(begin),
                     parties_[a].same_value && parties_[b].same_value &&
                         the_same(two->first, two->second, begin));
                if (!undecidable && order == Order::none) races.emplace_back(a, b);
            }
        if (!races.empty()) pair_up(begin, end, races, actor);
    }

    std::size_t party_for(std::uint32_t record, Published published) {
        const std::uint32_t site = records_[record].site;
        for (std::size_t i = 0; i < parties_.size(); ++i)
            if (parties_[i].site == site && parties_[i].published.out == published.out &&
                parties_[i].published.in == published.in)
                return i;
        parties_.push_back({site, published, record});
        return parties_.size() - 1;
    }

    static bool may_be_in_order(Published a, Published b) { return (a.out && b.in) || (b.out && a.in); }

    bool the_same(std::uint32_t a, std::uint32_t b, std::size_t place) const {
        const std::uint64_t unit = memories_.all[memory_at(place)].unit;
        return write_the_same(trace_, records_[a], records_[b], cell_at(place) * unit, unit);
    }

    /// Returns two conflicting records of groups a and b by different actors, or nullopt. a may equal b.
    template <class Actor>
    std::optional<std::pair<std::uint32_t, std::uint32_t>> two_actors(std::size_t a, std::size_t b, Scope all,
                                                                      Actor actor) const {
        const Party& one = parties_[a];
        const Party& two = parties_[b];
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
    void note(std::pair<std::uint32_t, std::uint32_t> two, Order order, bool between, std::uint64_t cell,
              bool same_value) {
        if (records_[two.first].site > records_[two.second].site) std::swap(two.first, two.second);
        const std::pair sites(records_[two.first].site, records_[two.second].site);
        std::optional<Race>& slot = found_[sites].at(static_cast<std::size_t>(order));
        if (!slot) {
            slot.emplace();
            slot->order = order;
            slot->site = sites.first;
            slot->other_site = sites.second;
            slot->same_value = true;
            slot->of_workgroups = between;
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
    void pair_up(std::size_t begin, std::size_t end,
                 const std::vector<std::pair<std::size_t, std::size_t>>& races, Actor actor) {
        for (std::size_t place = begin; place < end; ++place) {
            const std::uint32_t record = touches_[order_[place]].record;
            std::uint32_t& partner = races_.partners[record];
            for (const auto& [a, b] : races) {
                if (partner != no_record) break;
                const std::size_t party = party_of_[place - begin];
                if (party != a && party != b) continue;
                const Party& them = parties_[party == a ? b : a];
                if (actor(records_[them.first]) != actor(records_[record]))
                    partner = them.first;
                else if (them.other != no_record)
                    partner = them.other;
            }
        }
    }

    const Trace& trace_;
    std::span<const Record> records_;
    Memories memories_;
    std::vector<Touch> touches_;
    std::vector<std::uint32_t> order_;   ///< indices into touches_, sorted for the current pass
    std::vector<Party> parties_;         ///< of the current cell
    std::vector<std::size_t> party_of_;  ///< index into parties_ for each access to it
    std::vector<std::pair<const Race*, std::uint64_t>> counted_;  ///< in the current interval
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::optional<Race>, 3>> found_;
    Races races_;
};

}  // namespace

Races races_of(const Trace& trace, std::span<const Record> records) {
    return RaceFinder(trace, records).find();
}

std::vector<std::uint32_t> race_partners(const Trace& trace, std::span<const Record> records) {
    return races_of(trace, records).partners;
}

}  // namespace gridstride::trace
