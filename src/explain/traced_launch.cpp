#include "explain/traced_launch.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "trace/requests.h"

namespace gridstride {

using trace::FindingKind;
using trace::MemorySpace;
using trace::Site;
using trace::SiteKind;

double TracedLaunch::kernel_ns() const {
    double launch = 0, all = 0;
    for (const StepTime& step : run_.timeline) {
        if (step.phase != Phase::kernel) continue;
        all += step.duration_ns;
        if (step.label == trace().launch) launch += step.duration_ns;
    }
    const double run = run_.timings.kernel.median().value_or(0);
    return trace().launches == 1 || all == 0 ? run : run * launch / all;
}

double TracedLaunch::traced_workgroups() const {
    return static_cast<double>(trace().last_workgroup - trace().first_workgroup + 1);
}

double TracedLaunch::lost_factor() const {
    if (analysis_.records.empty()) return 1;
    const auto recorded_count = static_cast<double>(analysis_.records.size());
    return (recorded_count + static_cast<double>(trace().lost)) / recorded_count;
}

double TracedLaunch::scale() const {
    std::set<std::uint64_t> repetitions;
    for (const StepTime& step : run_.timeline)
        if (step.phase == Phase::kernel && step.label == trace().launch) repetitions.insert(step.step);
    return lost_factor() * static_cast<double>(trace().grid.product()) / traced_workgroups() *
           static_cast<double>(std::max<std::size_t>(repetitions.size(), 1));
}

RequestCosts TracedLaunch::costs(FindingKind kind) const {
    const double scale = this->scale();
    RequestCosts costs;
    std::map<trace::SourceLine, double> wasted;
    double worst = 0;
    for (const trace::Finding& finding : analysis_.findings) {
        if (finding.kind != kind || !finding.site || !finding.value) continue;
        const double requests = static_cast<double>(finding.count) * scale;
        const bool is_activity = kind == FindingKind::activity;
        const double total_cost = (is_activity ? trace().subgroup_size : *finding.value) * requests;
        const double needed_cost = (is_activity ? *finding.value : finding.min_value.value_or(1)) * requests;
        costs.total += total_cost;
        costs.needed += needed_cost;
        const double waste = total_cost - needed_cost;
        if (waste <= 0) continue;
        wasted[trace::line_at(trace(), trace().sites[*finding.site])] += waste;
        if (waste <= worst) continue;
        worst = waste;
        costs.worst_sentence = finding.sentence;
    }
    for (const auto& [line, waste] : wasted)
        costs.lines.push_back(line);
    std::ranges::stable_sort(costs.lines, std::greater(), [&](const auto& line) { return wasted.at(line); });
    return costs;
}

TracedLaunch::BarrierPasses TracedLaunch::barrier_passes() const {
    std::set<trace::SourceLine> lines;
    double passes = 0;
    for (const trace::Record& record : analysis_.records) {
        const Site& site = trace().sites[record.site];
        if (site.kind != SiteKind::barrier || site.is_subgroup_barrier) continue;
        lines.insert(trace::line_at(trace(), site));
        passes += 1;
    }
    const auto size = static_cast<double>(trace().workgroup.product());
    return {lost_factor() * passes / traced_workgroups() / size, {lines.begin(), lines.end()}};
}

std::optional<TracedLaunch::AtomicRequests> TracedLaunch::contended_atomics() const {
    std::map<std::pair<std::uint32_t, std::uint64_t>, AtomicRequests> addresses;  // by binding and offset
    const trace::Requests requests = trace::group_requests(trace(), analysis_.records);
    for (const trace::Request& request : requests.all) {
        const Site& site = trace().sites[request.site];
        if (site.kind != SiteKind::atomic || site.space != MemorySpace::buffer) continue;
        std::set<std::uint64_t> offsets;
        for (const std::uint32_t record : requests.of(request))
            offsets.insert(analysis_.records[record].offset);
        for (const std::uint64_t offset : offsets) {
            AtomicRequests& address = addresses[{site.binding, offset}];
            address.count += 1;
            address.line = trace::line_at(trace(), site);
        }
    }
    if (addresses.empty()) return std::nullopt;
    AtomicRequests most =
        std::ranges::max_element(addresses, {}, [](const auto& one) { return one.second.count; })->second;
    most.count *= scale();
    return most;
}

double TracedLaunch::accessed_bytes() const {
    double bytes = 0;
    for (const trace::Record& record : analysis_.records)
        bytes += static_cast<double>(trace::buffer_bytes(trace().sites[record.site]));
    return bytes * scale();
}

double TracedLaunch::mean_load_bytes() const {
    double bytes = 0, loads = 0;
    for (const trace::Record& record : analysis_.records) {
        const Site& site = trace().sites[record.site];
        if (site.kind != SiteKind::load || site.space != MemorySpace::buffer) continue;
        bytes += static_cast<double>(site.bytes);
        loads += 1;
    }
    return loads > 0 ? bytes / loads : 0;
}

}  // namespace gridstride
