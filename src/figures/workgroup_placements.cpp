#include "figures/workgroup_placements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "trace/trace_text.h"

namespace gridstride {

TraceCells draw_placements(const trace::Trace& trace, std::span<const trace::Record>) {
    constexpr std::size_t columns = 64, max_rows = 24;
    enum Cell : std::uint8_t { none, one, several };
    TraceCells result{.cells = {.kinds = {{tr("no workgroup"), ColorRole::quiet, Cells::Fill::outlined},
                                          {tr("one workgroup"), ColorRole::upload},
                                          {"several", ColorRole::kernel}},
                                .cell_name = "time"}};
    if (trace.placements.empty()) {
        result.note = trace::placement_text(trace, trace.first_workgroup);
        return result;
    }
    const auto first =
        std::ranges::min(trace.placements, {}, &trace::WorkgroupPlacement::start_time).start_time;
    const auto last = std::ranges::max(trace.placements, {}, &trace::WorkgroupPlacement::end_time).end_time;
    const double span = static_cast<double>(std::max<std::uint64_t>(last - first, 1));
    const auto column_at = [&](std::uint64_t time) {
        const double column = static_cast<double>(time - first) / span * static_cast<double>(columns);
        return std::min(static_cast<std::size_t>(column), columns - 1);
    };
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        counts;  // by multiprocessor: workgroups in each column
    std::map<std::uint32_t, std::uint64_t> workgroups;
    for (const trace::WorkgroupPlacement& placement : trace.placements) {
        std::vector<std::uint32_t>& row = counts[placement.multiprocessor];
        row.resize(columns);
        for (std::size_t i = column_at(placement.start_time);
             i <= column_at(std::max(placement.start_time, placement.end_time)); ++i)
            ++row[i];
        ++workgroups[placement.multiprocessor];
    }
    for (const auto& [multiprocessor, row] : counts) {
        if (result.cells.rows.size() == max_rows) break;
        Cells::Row& cells = result.cells.add_row(
            tr("multiprocessor {}", multiprocessor), columns,
            [&](std::size_t i) -> std::uint8_t { return row[i] == 0   ? none
                                                        : row[i] == 1 ? one
                                                                      : several; },
            counted(workgroups[multiprocessor], "workgroup", "workgroups"));
        for (const std::uint32_t count : row) {
            cells.cell_texts.push_back(count > 1 ? fmt::format("{}", count) : "");
            cells.hover_texts.push_back(counted(count, "workgroup", "workgroups"));
        }
    }
    result.note =
        tr("Time goes to the right, without a unit, because tracing changes it. A cell shows how many "
           "workgroups "
           "were on the multiprocessor.");
    if (counts.size() > max_rows)
        add_sentence(result.note,
                     tr("These are the first {} of {} multiprocessors.", max_rows, counts.size()));
    add_sentence(result.note, trace::placed_workgroups_text(trace));
    return result;
}

}  // namespace gridstride
