#include "present/occupancy_figure.h"

#include <fmt/format.h>

#include "base/units.h"
#include "launch/occupancy.h"

namespace gridstride {

namespace {

enum Cell : std::uint8_t { cell_workgroup, cell_next_workgroup, cell_free };

const char* name_of(OccupancyBound by) {
    switch (by) {
        case OccupancyBound::subgroups:
            return "by subgroups";
        case OccupancyBound::registers:
            return "by registers";
        case OccupancyBound::shared_memory:
            return "by shared memory";
        case OccupancyBound::workgroups:
            return "by workgroups";
    }
    return "";
}

std::vector<std::uint8_t> places(std::uint64_t workgroups, std::uint64_t each, std::uint64_t all) {
    std::vector<std::uint8_t> cells;
    for (std::uint64_t place = 0; place < all; ++place) {
        const std::uint64_t workgroup = place / each;
        // What cannot hold all of a workgroup's subgroups holds none of them.
        const bool taken = workgroup < workgroups && (workgroup + 1) * each <= all;
        cells.push_back(!taken ? cell_free : workgroup % 2 == 0 ? cell_workgroup : cell_next_workgroup);
    }
    return cells;
}

}  // namespace

std::optional<Plot> occupancy_picture(const Prepared& asked, std::uint32_t registers) {
    const Dispatch& main = asked.plan.main();
    const Limits& limits = asked.limits;
    const auto fit =
        occupancy(multiprocessor_of(limits), {main.workgroup_size(), registers, main.shared_bytes});
    if (!fit) return std::nullopt;
    Cells cells;
    cells.kinds = {{"a workgroup", Ink::kernel}, {"the next one", Ink::upload}, {"free", Ink::quiet}};
    cells.cell_name = "subgroup";
    for (const Occupancy::Bound& bound : fit->bounds) {
        cells.rows.push_back(
            {std::string(name_of(bound.by)),
             places(bound.workgroups, fit->subgroups_a_workgroup, limits.subgroups_per_multiprocessor),
             fmt::format("{}{}", format_count(bound.workgroups),
                         fit->limits(bound.by) ? ", this limits" : "")});
    }
    return Plot{"occupancy", "Occupancy of a multiprocessor", Origin::modelled, std::move(cells),
                "Workgroups that each resource alone would let stay at once."};
}

}  // namespace gridstride
