#include "figures/active_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "trace/branches.h"
#include "trace/requests.h"
#include "trace/trace_text.h"

namespace gridstride {

namespace {

/// One execution of a line by a subgroup, of one or several sites.
struct LineExecution {
    std::uint16_t subgroup = 0;
    std::uint32_t order = 0;  ///< records before it
    bool is_branch = false;
    std::vector<std::uint32_t> sites;
    trace::Lanes active, taken;
    std::uint32_t number = 0;  ///< of this line by this subgroup, from 1
};

/// Returns the executions of all sites, by subgroup and then in the order of the trace.
std::vector<LineExecution> collect_executions(const trace::Trace& trace,
                                              std::span<const trace::Record> records,
                                              std::uint64_t workgroup) {
    std::vector<LineExecution> all;
    const trace::Requests requests = trace::group_requests(trace, records);
    for (const trace::Request& request : requests.all) {
        if (request.workgroup != workgroup) continue;
        LineExecution one{.subgroup = request.subgroup, .order = UINT32_MAX, .sites = {request.site}};
        for (const std::uint32_t i : requests.of(request)) {
            one.active.set(records[i].lane);
            one.order = std::min(one.order, records[i].request);
        }
        all.push_back(std::move(one));
    }
    for (const trace::BranchExecution& branch : trace::decode_branches(trace))
        if (branch.workgroup == workgroup)
            all.push_back({.subgroup = branch.subgroup,
                           .order = branch.earlier_records,
                           .is_branch = true,
                           .sites = {branch.site},
                           .active = branch.active,
                           .taken = branch.taken});
    std::ranges::stable_sort(all, {}, [](const LineExecution& one) {
        return std::tuple(one.subgroup, one.order, !one.is_branch);
    });
    return all;
}

/// Joins the sites that the same lanes execute on the same line, one after another.
std::vector<LineExecution> join_lines(const trace::Trace& trace, std::vector<LineExecution> all) {
    const auto line_of = [&](const LineExecution& one) {
        return trace::line_at(trace, trace.sites[one.sites.front()]);
    };
    std::vector<LineExecution> joined;
    for (LineExecution& one : all) {
        const bool continues = !joined.empty() && joined.back().subgroup == one.subgroup &&
                               joined.back().active == one.active && line_of(joined.back()) == line_of(one) &&
                               !(joined.back().is_branch && one.is_branch) &&
                               std::ranges::count(joined.back().sites, one.sites.front()) == 0;
        if (!continues) {
            joined.push_back(std::move(one));
            continue;
        }
        LineExecution& last = joined.back();
        last.sites.push_back(one.sites.front());
        if (one.is_branch) {
            last.is_branch = true;
            last.taken = one.taken;
        }
    }
    std::map<std::pair<std::uint16_t, trace::SourceLine>, std::uint32_t> counts;
    for (LineExecution& one : joined)
        one.number = ++counts[{one.subgroup, line_of(one)}];
    return joined;
}

}  // namespace

TraceCells draw_lanes(const trace::Trace& trace, std::span<const trace::Record> records) {
    constexpr std::size_t max_rows = 32, max_subgroups = 2;
    enum Cell : std::uint8_t { inactive, active, is_true, is_false };
    TraceCells result{.cells = {.kinds = {{tr("not active"), ColorRole::quiet, Cells::Fill::outlined},
                                          {tr("active"), ColorRole::kernel},
                                          {tr("active, condition true"), ColorRole::upload},
                                          {tr("active, condition false"), ColorRole::download}},
                                .cell_name = "lane"}};
    const std::vector<LineExecution> all =
        join_lines(trace, collect_executions(trace, records, trace.first_workgroup));
    const std::uint64_t lanes = std::min<std::uint64_t>(trace.subgroup_size, trace.workgroup.product());
    std::map<std::uint16_t, std::vector<const LineExecution*>> executions_by_subgroup;
    for (const LineExecution& one : all)
        executions_by_subgroup[one.subgroup].push_back(&one);
    const std::size_t subgroups = std::min(executions_by_subgroup.size(), max_subgroups);
    std::size_t executions = 0;
    for (auto entry = executions_by_subgroup.begin();
         result.cells.rows.size() < max_rows && entry != executions_by_subgroup.end() &&
         std::cmp_less(std::distance(executions_by_subgroup.begin(), entry), subgroups);
         ++entry) {
        const std::vector<const LineExecution*>& own = entry->second;
        executions += own.size();
        const std::size_t rows = std::min(own.size(), max_rows / subgroups);
        for (std::size_t row = 0; row < rows; ++row) {
            const LineExecution& one = *own[rows > 1 ? row * (own.size() - 1) / (rows - 1) : 0];
            std::string label = trace::line_text(trace, trace.sites[one.sites.front()]);
            if (one.number > 1) label += fmt::format(" \u00B7 {}", format_count(one.number));
            if (subgroups > 1) label = tr("subgroup {}, {}", entry->first, label);
            std::string note = tr("{} of {} active", one.active.count(), lanes);
            if (one.is_branch) note += tr(", condition true for {}", one.taken.count());
            result.cells.add_row(
                std::move(label), lanes,
                [&](std::size_t lane) -> std::uint8_t {
                    if (!one.active[lane]) return inactive;
                    return !one.is_branch ? active : one.taken[lane] ? is_true : is_false;
                },
                std::move(note));
        }
    }
    if (all.empty()) return result;
    result.note = tr("A row is one execution of a line by a subgroup of {} lanes, in workgroup {}.",
                     trace.subgroup_size, format_count(trace.first_workgroup));
    if (executions_by_subgroup.size() > subgroups)
        add_sentence(result.note, tr("These are the first {} of {}.", subgroups,
                                     counted(executions_by_subgroup.size(), "subgroup", "subgroups")));
    if (executions > result.cells.rows.size())
        add_sentence(result.note, tr("Of {} executions, {} are shown, evenly spaced.",
                                     format_count(executions), result.cells.rows.size()));
    if (!trace.branches_note.empty()) add_sentence(result.note, trace.branches_note);
    if (trace.lost_branches > 0)
        add_sentence(result.note, tr("The buffer of branches was full: {} of the executions are missing.",
                                     format_count(trace.lost_branches)));
    return result;
}

}  // namespace gridstride
