#include "trace/barriers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/sort.h"

namespace gridstride::trace {

namespace {

struct Waits {
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
            [&](std::size_t begin, std::size_t end) { add_workgroup(begin, end); });
        std::vector<Divergence> all;
        for (const auto& [sites, divergence] : found_)
            all.push_back(divergence);
        return all;
    }

 private:
    void add_workgroup(std::size_t begin, std::size_t end) {
        std::vector<Waits> all(trace_.workgroup.product());
        for (std::size_t i = begin; i < end; ++i) {
            Waits& waits = all[records_[i].invocation];
            waits.last = static_cast<std::uint32_t>(i);
            const Site& site = trace_.sites[records_[i].site];
            if (site.kind == SiteKind::barrier && !site.of_subgroup)
                waits.barriers.push_back(static_cast<std::uint32_t>(i));
        }
        const Waits& most = *std::max_element(all.begin(), all.end(), [](const Waits& a, const Waits& b) {
            return a.barriers.size() < b.barriers.size();
        });
        for (std::size_t invocation = 0; invocation < all.size(); ++invocation)
            compare(most, all[invocation], records_[begin].workgroup, static_cast<std::uint32_t>(invocation));
    }

    bool same(std::uint32_t a, std::uint32_t b) const {
        return records_[a].site == records_[b].site && records_[a].dispatch == records_[b].dispatch &&
               records_[a].iteration_key() == records_[b].iteration_key();
    }

    void compare(const Waits& most, const Waits& some, std::uint32_t workgroup, std::uint32_t invocation) {
        const auto [waits, elsewhere] =
            std::mismatch(most.barriers.begin(), most.barriers.end(), some.barriers.begin(),
                          some.barriers.end(), [&](std::uint32_t a, std::uint32_t b) { return same(a, b); });
        if (waits == most.barriers.end()) return;
        Divergence divergence;
        divergence.site = records_[*waits].site;
        divergence.first = *waits;
        divergence.other = some.last;
        if (elsewhere != some.barriers.end() && records_[*elsewhere].dispatch == records_[*waits].dispatch) {
            divergence.other = *elsewhere;
            divergence.other_site = records_[*elsewhere].site;
            divergence.other_turn = divergence.other_site == divergence.site;
        }
        divergence.workgroup = workgroup;
        divergence.invocation = invocation;
        ++found_.try_emplace({divergence.site, divergence.other_site}, divergence).first->second.invocations;
    }

    const Trace& trace_;
    std::span<const Record> records_;
    std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, Divergence> found_;
};

}  // namespace

std::vector<Divergence> divergences_of(const Trace& trace, std::span<const Record> records) {
    return DivergenceFinder(trace, records).find();
}

}  // namespace gridstride::trace
