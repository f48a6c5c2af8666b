// A launch as boxes: which workgroups or invocations each of them stands for, and what those have to do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/share.h"
#include "launch/slices.h"
#include "present/solid.h"

namespace gridstride {

struct LaunchBox {
    Filled filled = Filled::none;
    bool odd = false;  ///< of the second, fourth, … slice or subgroup
};

struct LaunchBoxes {
    Region of{};          ///< workgroups of a grid, or invocations of a workgroup
    Place each{1, 1, 1};  ///< how many of them a box stands for along x, y and z; the last perhaps for fewer
    Solid solid;          ///< what is a row is wrapped into several where it is long
    std::vector<LaunchBox> boxes;  ///< as the solid numbers them

    Region region_of(std::uint32_t box) const;
    std::optional<std::uint32_t> box_of(const Place& place) const;
    bool merged() const { return each != Place{1, 1, 1}; }
};

/// Of a grid more are not drawn: neighbours are merged, two and two, until they are no more.
constexpr std::uint64_t max_launch_boxes = 2048;

/// These workgroups of the launch's grid. The slices tell where other workgroups run in each; where each has
/// all of them, none is odd.
LaunchBoxes boxes_of_grid(const Dispatch& launch, const Slicing& slicing, const Region& workgroups);
/// A workgroup's invocations, in subgroups as they are numbered.
LaunchBoxes boxes_of_workgroup(const Dispatch& launch, const Place& workgroup, std::uint32_t subgroup_size);
/// The lanes of a subgroup in a row; `of` are their numbers in the workgroup, along x.
LaunchBoxes boxes_of_subgroup(const Dispatch& launch, const Place& workgroup, std::uint64_t subgroup,
                              std::uint32_t subgroup_size);

}  // namespace gridstride
