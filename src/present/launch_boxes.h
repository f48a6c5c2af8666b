// Represents a launch as boxes of workgroups or invocations, with the amount of work of each box.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/slices.h"
#include "launch/work_range.h"
#include "present/box_array.h"

namespace gridstride {

struct LaunchBox {
    Coverage coverage = Coverage::none;
    bool is_odd = false;  ///< belongs to the second, fourth, … slice or subgroup
};

struct LaunchBoxes {
    Region of{};                   ///< workgroups of a grid, or invocations of a workgroup
    Index3 each{1, 1, 1};          ///< how many of them a box covers along x, y, z; the last may cover fewer
    BoxArray solid;                ///< a long one-dimensional launch is wrapped into rows
    std::vector<LaunchBox> boxes;  ///< indexed like the boxes of `solid`

    Region region_of(std::uint32_t box) const;
    std::optional<std::uint32_t> box_of(const Index3& place) const;
    bool is_merged() const { return each != Index3{1, 1, 1}; }
};

/// The maximum number of boxes of a grid. Neighbouring workgroups are merged in pairs until they fit.
constexpr std::uint64_t max_launch_boxes = 2048;

/// Returns the boxes of these workgroups of the launch's grid. None is odd if each slice runs all workgroups.
LaunchBoxes make_grid_boxes(const Dispatch& launch, const Slicing& slicing, const Region& workgroups);
/// Returns the boxes of a workgroup's invocations, one each. Subgroups are consecutive invocations.
LaunchBoxes make_workgroup_boxes(const Dispatch& launch, const Index3& workgroup,
                                 std::uint32_t subgroup_size);
/// Returns the lanes of a subgroup as a row; `of` holds their indices in the workgroup, along x.
LaunchBoxes make_subgroup_boxes(const Dispatch& launch, const Index3& workgroup, std::uint64_t subgroup,
                                std::uint32_t subgroup_size);

}  // namespace gridstride
