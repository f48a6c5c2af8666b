#include "trace/request_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/language.h"
#include "base/units.h"
#include "trace/branches.h"
#include "trace/requests.h"
#include "trace/sort.h"
#include "trace/trace_text.h"

namespace gridstride::trace {

namespace {

/// A site gets a warning if its cost is at least this multiple of the minimum.
constexpr double warning_ratio = 1.5;

/// The cost of the requests of a site (sectors, turns, …), summed.
struct RequestCost {
    std::uint64_t requests = 0, total = 0, min_total = 0;
    std::uint64_t max_cost = 0;                 ///< highest cost of one request
    std::optional<std::uint32_t> first_record;  ///< first record of the first such request

    /// from: a record of the request; nullopt: it has none, because it is a branch.
    void add(std::uint64_t cost, std::uint64_t min_cost, std::optional<std::uint32_t> from) {
        ++requests;
        total += cost;
        min_total += min_cost;
        if (requests > 1 && cost <= max_cost) return;
        max_cost = cost;
        first_record = from;
    }
    double mean() const { return static_cast<double>(total) / static_cast<double>(requests); }
    double min_mean() const { return static_cast<double>(min_total) / static_cast<double>(requests); }
    FindingStatus status() const {
        return mean() >= warning_ratio * min_mean() ? FindingStatus::warning : FindingStatus::ok;
    }
};

struct SiteCosts {
    RequestCost lanes, sectors, banks, queue;
    std::uint64_t sector_bytes_used = 0;
};

std::string mean_text(double mean) {
    return format_significant(mean);
}
/// Returns, for example, "1 sector" or "1.5 sectors". one, many: marked for the catalogue elsewhere.
std::string mean_text(double mean, const char* one, const char* many) {
    const std::string number = mean_text(mean);
    return fmt::format("{} {}", number, tr_plural(one, many, number == "1" ? 1 : 2));
}

class RequestFindings {
 public:
    RequestFindings(const Trace& trace, std::span<const Record> records, std::vector<Finding>& findings)
        : trace_(trace), records_(records), findings_(findings), costs_(trace.sites.size()) {}

    void add() {
        const Requests requests = group_requests(trace_, records_);
        for (const Request& request : requests.all)
            count(request, requests.of(request));
        for (const BranchExecution& branch : decode_branches(trace_))
            count(branch);
        for (std::uint32_t site = 0; site < costs_.size(); ++site) {
            const SiteCosts& costs = costs_[site];
            if (costs.lanes.requests == 0) continue;
            if (trace_.sites[site].kind == SiteKind::branch) {
                add_branch_activity(site, costs.lanes);
                continue;
            }
            add_activity(site, costs.lanes);
            if (costs.sectors.requests > 0) add_sectors(site, costs);
            if (costs.banks.requests > 0) add_banks(site, costs.banks);
        }
        add_missing_bank_model();
        add_atomics();
    }

 private:
    void count(const Request& request, std::span<const std::uint32_t> members) {
        const Site& site = trace_.sites[request.site];
        SiteCosts& costs = costs_[request.site];
        // The cost is the idle lanes, so that the reported request is the one with the fewest active lanes.
        const std::uint64_t width = trace_.subgroup_size;
        costs.lanes.add(width - std::min<std::uint64_t>(members.size(), width), width, members[0]);
        if (site.space == MemorySpace::buffer) {
            const Sectors sectors = count_sectors(site, records_, members);
            costs.sectors.add(sectors.fetched, sectors.min_fetched, members[0]);
            costs.sector_bytes_used += sectors.bytes;
        } else if (site.kind != SiteKind::atomic) {
            if (const auto banks = count_bank_turns(trace_, site, records_, members))
                costs.banks.add(banks->turns, banks->min_turns, members[0]);
        }
        if (site.kind == SiteKind::atomic) count_same_address(members, costs.queue);
    }

    void count(const BranchExecution& branch) {
        const Site& site = trace_.sites[branch.site];
        const std::uint64_t width = trace_.subgroup_size;
        for (const Lanes& lanes : {branch.lanes_if_true(site), branch.lanes_if_false(site)})
            if (lanes.any())
                costs_[branch.site].lanes.add(width - std::min<std::uint64_t>(lanes.count(), width), width,
                                              std::nullopt);
    }

    void count_same_address(std::span<const std::uint32_t> members, RequestCost& cost) {
        std::vector<std::uint64_t> offsets;
        for (const std::uint32_t i : members)
            offsets.push_back(records_[i].offset);
        std::sort(offsets.begin(), offsets.end());  // up to 128 lanes
        std::size_t max_cost = 0;
        for_each_run(
            0, offsets.size(), [&](std::size_t a, std::size_t b) { return offsets[a] == offsets[b]; },
            [&](std::size_t begin, std::size_t end) { max_cost = std::max(max_cost, end - begin); });
        cost.add(max_cost, 1, members[0]);
    }

    Finding& add_finding(FindingKind kind, std::uint32_t site, const RequestCost& cost,
                         const std::string& sentence) {
        Finding& finding = findings_.emplace_back();
        finding.kind = kind;
        const bool is_branch = trace_.sites[site].kind == SiteKind::branch;
        const bool is_lost = (is_branch ? trace_.lost_branches : trace_.lost) > 0;
        finding.status = is_lost ? FindingStatus::unknown : cost.status();
        finding.site = site;
        finding.count = cost.requests;
        finding.value = cost.mean();
        finding.first = cost.first_record;
        const std::string missing =
            is_branch ? incomplete_branches_reason(trace_) : incomplete_reason(trace_);
        const std::string site_words = in_sentence_case(site_text(trace_, trace_.sites[site]));
        finding.sentence = missing.empty() ? tr("{}: {}.", site_words, sentence)
                                           : tr("{}: {}; {}.", site_words, sentence, missing);
        return finding;
    }

    void add_activity(std::uint32_t site, const RequestCost& idle) {
        add_activity(site, idle, tr("on average, {} of {} lanes are active ({})"),
                     counted(idle.requests, "request", "requests"));
    }
    void add_branch_activity(std::uint32_t site, const RequestCost& idle) {
        add_activity(site, idle, tr("on average, {} of {} lanes go the same way ({})"),
                     counted(idle.requests, "execution", "executions"));
    }
    void add_activity(std::uint32_t site, const RequestCost& idle, const char* sentence,
                      const std::string& requests) {
        const double width = trace_.subgroup_size, active = width - idle.mean();
        Finding& finding = add_finding(
            FindingKind::activity, site, idle,
            fmt::format(fmt::runtime(sentence), mean_text(active), trace_.subgroup_size, requests));
        finding.value = active;
        if (finding.status == FindingStatus::unknown) return;
        // Work done once per workgroup, such as storing its result, naturally leaves lanes idle.
        const std::uint64_t workgroups = trace_.last_workgroup - trace_.first_workgroup + 1;
        finding.status =
            idle.requests > workgroups && active < width / 2 ? FindingStatus::warning : FindingStatus::ok;
    }

    void add_sectors(std::uint32_t site, const SiteCosts& costs) {
        const RequestCost& sectors = costs.sectors;
        const double used_fraction = static_cast<double>(costs.sector_bytes_used) /
                                     (static_cast<double>(sectors.total) * static_cast<double>(sector_bytes));
        add_finding(
            FindingKind::sectors, site, sectors,
            tr("on average, a request fetches {} of 32 bytes, at least {} needed; {} of the bytes are used "
               "(modelled)",
               mean_text(sectors.mean(), "sector", "sectors"), mean_text(sectors.min_mean()),
               format_percent(used_fraction).text()))
            .min_value = sectors.min_mean();
    }

    void add_banks(std::uint32_t site, const RequestCost& banks) {
        add_finding(
            FindingKind::banks, site, banks,
            tr("on average, a request takes {}, at least {} needed (modelled with {} banks of 4 bytes)",
               mean_text(banks.mean(), "turn", "turns"), mean_text(banks.min_mean()), trace_.banks))
            .min_value = banks.min_mean();
    }

    void add_missing_bank_model() {
        const bool uses_workgroup_memory = std::any_of(
            trace_.sites.begin(), trace_.sites.end(),
            [](const Site& site) { return is_access(site) && site.space == MemorySpace::workgroup; });
        if (trace_.banks > 0 || !uses_workgroup_memory) return;
        Finding& finding = findings_.emplace_back();
        finding.kind = FindingKind::banks;
        finding.status = FindingStatus::unknown;
        finding.sentence = tr("The banks of workgroup memory are not modelled for this device.");
        if (!trace_.banks_note.empty()) finding.sentence = trace_.banks_note;
    }

    /// The queue at an address holds all its atomics; in workgroup memory, those of one workgroup.
    void add_atomics() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < records_.size(); ++i)
            if (site_of(i).kind == SiteKind::atomic) order.push_back(i);
        const auto memory = [&](std::uint32_t i) {
            return site_of(i).space == MemorySpace::workgroup ? records_[i].workgroup : 0;
        };
        sort_by(order, [&](std::uint32_t i) { return records_[i].offset; });
        sort_by(order, memory);
        sort_by(order, [&](std::uint32_t i) { return records_[i].site; });
        struct Queue {
            std::size_t length = 0;
            std::uint32_t first = 0;
        };
        std::vector<Queue> longest(trace_.sites.size());
        for_each_run(
            0, order.size(),
            [&](std::size_t a, std::size_t b) {
                const Record& one = records_[order[a]];
                const Record& two = records_[order[b]];
                return one.site == two.site && one.offset == two.offset &&
                       memory(order[a]) == memory(order[b]);
            },
            [&](std::size_t begin, std::size_t end) {
                Queue& queue = longest[records_[order[begin]].site];
                if (end - begin > queue.length) queue = {end - begin, order[begin]};
            });
        for (std::uint32_t site = 0; site < longest.size(); ++site)
            if (longest[site].length > 0) add_queue(site, longest[site].length, longest[site].first);
    }

    void add_queue(std::uint32_t site, std::size_t length, std::uint32_t first) {
        const RequestCost& cost = costs_[site].queue;
        Finding& finding =
            add_finding(FindingKind::atomics, site, cost,
                        tr("one address is updated by at most {} of a request; longest queue: {} at {}{}{}",
                           counted(cost.max_cost, "lane", "lanes"), format_count(length),
                           element_text(trace_.sites[site], records_[first]),
                           trace_.sites[site].space == MemorySpace::buffer ? tr(" over the launch")
                                                                           : tr(" in one workgroup"),
                           incomplete_reason(trace_).empty() ? "" : tr(", or more")));
        finding.count = cost.max_cost;
        finding.value = static_cast<double>(length);
        if (finding.status == FindingStatus::unknown) return;
        const bool is_contended =
            cost.max_cost > 1 && cost.mean() >= static_cast<double>(trace_.subgroup_size) / 2;
        finding.status = is_contended ? FindingStatus::warning : FindingStatus::ok;
    }

    const Site& site_of(std::uint32_t record) const { return trace_.sites[records_[record].site]; }

    const Trace& trace_;
    std::span<const Record> records_;
    std::vector<Finding>& findings_;
    std::vector<SiteCosts> costs_;
};

}  // namespace

void add_request_findings(const Trace& trace, std::span<const Record> records,
                          std::vector<Finding>& findings) {
    RequestFindings(trace, records, findings).add();
}

}  // namespace gridstride::trace
