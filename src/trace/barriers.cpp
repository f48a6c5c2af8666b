#include "trace/barriers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/sort.h"

namespace gridstride::trace {

namespace {

struct BarrierWaits {
    std::vector<std::uint32_t> barriers;  ///< records of one invocation, in order
    std::optional<std::uint32_t> last;
};

class DivergenceFinder {
 public:
    DivergenceFinder(const Trace& trace, std::span<const Record> records)
        : trace_(trace), records_(records) {}

    std::vector<Divergence> find() {
        for_each_run(
            0, records_.size(),
            [&](std::size_t a, std::size_t b) { return records_[a].workgroup == records_[b].workgroup; },
            [&](std::size_t begin, std::size_t end) { check_workgroup(begin, end); });
        std::vector<Divergence> all;
        for (const auto& [sites, divergence] : divergences_)
            all.push_back(divergence);
        return all;
    }

 private:
    void check_workgroup(std::size_t begin, std::size_t end) {
        std::vector<BarrierWaits> all(trace_.workgroup.product());
        for (std::size_t i = begin; i < end; ++i) {
            BarrierWaits& waits = all[records_[i].invocation];
            waits.last = static_cast<std::uint32_t>(i);
            const Site& site = trace_.sites[records_[i].site];
            if (site.kind == SiteKind::barrier && !site.is_subgroup_barrier)
                waits.barriers.push_back(static_cast<std::uint32_t>(i));
        }
        const BarrierWaits& longest =
            *std::max_element(all.begin(), all.end(), [](const BarrierWaits& a, const BarrierWaits& b) {
                return a.barriers.size() < b.barriers.size();
            });
        for (std::size_t invocation = 0; invocation < all.size(); ++invocation)
            compare(longest, all[invocation], records_[begin].workgroup,
                    static_cast<std::uint32_t>(invocation));
    }

    bool is_same(std::uint32_t a, std::uint32_t b) const {
        return records_[a].site == records_[b].site && records_[a].dispatch == records_[b].dispatch &&
               records_[a].iteration_key() == records_[b].iteration_key();
    }

    void compare(const BarrierWaits& longest, const BarrierWaits& other_waits, std::uint32_t workgroup,
                 std::uint32_t invocation) {
        const auto [waits, elsewhere] = std::mismatch(
            longest.barriers.begin(), longest.barriers.end(), other_waits.barriers.begin(),
            other_waits.barriers.end(), [&](std::uint32_t a, std::uint32_t b) { return is_same(a, b); });
        if (waits == longest.barriers.end()) return;
        Divergence divergence;
        divergence.site = records_[*waits].site;
        divergence.first = *waits;
        divergence.other = other_waits.last;
        if (elsewhere != other_waits.barriers.end() &&
            records_[*elsewhere].dispatch == records_[*waits].dispatch) {
            divergence.other = *elsewhere;
            divergence.other_site = records_[*elsewhere].site;
            divergence.other_iteration = divergence.other_site == divergence.site;
        }
        divergence.workgroup = workgroup;
        divergence.invocation = invocation;
        ++divergences_.try_emplace({divergence.site, divergence.other_site}, divergence)
              .first->second.invocations;
    }

    const Trace& trace_;
    std::span<const Record> records_;
    std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, Divergence> divergences_;
};

}  // namespace

std::vector<Divergence> find_divergences(const Trace& trace, std::span<const Record> records) {
    return DivergenceFinder(trace, records).find();
}

}  // namespace gridstride::trace
