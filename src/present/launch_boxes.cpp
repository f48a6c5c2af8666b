#include "present/launch_boxes.h"

#include <algorithm>

namespace gridstride {

namespace {

constexpr std::uint64_t max_boxes_per_dimension = 128;
constexpr std::uint64_t initial_row_length = 32;
// The maximum ratio of the longest side to any other: a grid of 128 x 3 is drawn with boxes higher than wide.
constexpr float max_aspect_ratio = 4;

bool is_row(const Region& of) {
    return of[1].count() == 1 && of[2].count() == 1;
}

BoxArray wrap_row(std::uint64_t count) {
    std::uint64_t length = initial_row_length;
    while (length * length / 2 < count)
        length *= 2;
    return {.boxes = {std::min(count, length), divide_up(count, length), 1},
            .count = static_cast<std::uint32_t>(count)};
}

/// Returns how many workgroups to merge along each dimension so that at most max_launch_boxes boxes remain.
Index3 choose_merge(const Region& of) {
    Index3 each{1, 1, 1};
    for (;;) {
        Index3 boxes;
        for (unsigned dimension = 0; dimension < 3; ++dimension)
            boxes[dimension] = divide_up(of[dimension].count(), each[dimension]);
        const auto longest = std::ranges::max_element(boxes);
        const bool fits = is_row(of) || *longest <= max_boxes_per_dimension;
        if (fits && boxes[0] * boxes[1] * boxes[2] <= max_launch_boxes) return each;
        each[static_cast<std::size_t>(longest - boxes.begin())] *= 2;
    }
}

LaunchBoxes arrange_boxes(const Region& of, const Index3& each = {1, 1, 1}) {
    LaunchBoxes boxes{.of = of, .each = each};
    if (is_row(of)) {
        boxes.solid = wrap_row(divide_up(of[0].count(), each[0]));
    } else {
        glm::uvec3& sides = boxes.solid.boxes;
        for (int dimension = 0; dimension < 3; ++dimension) {
            const auto d = static_cast<std::size_t>(dimension);
            sides[dimension] = static_cast<std::uint32_t>(divide_up(of[d].count(), each[d]));
        }
        boxes.solid.count = sides.x * sides.y * sides.z;
        const auto longest = static_cast<float>(std::max({sides.x, sides.y, sides.z}));
        for (int dimension = 0; dimension < 3; ++dimension)
            if (sides[dimension] > 1)
                boxes.solid.box_size[dimension] =
                    std::max(1.0F, longest / max_aspect_ratio / static_cast<float>(sides[dimension]));
    }
    boxes.boxes.resize(boxes.solid.count);
    return boxes;
}

/// Returns how many workgroups, along the sliced dimension, run in one slice; 0 if every slice runs all.
std::uint64_t workgroups_per_slice(const Slicing& slicing, std::uint64_t grid) {
    const std::uint64_t first_slice_workgroups =
        slicing.slices.empty() ? grid : slicing.slices.front().workgroups;
    return first_slice_workgroups < grid ? first_slice_workgroups : 0;
}

}  // namespace

Region LaunchBoxes::region_of(std::uint32_t box) const {
    const glm::uvec3 at = is_row(of) ? glm::uvec3(box, 0, 0) : solid.position_of(box);
    Region region;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const std::uint64_t first = of[dimension].first + at[static_cast<int>(dimension)] * each[dimension];
        region[dimension] = {first, std::min(first + each[dimension], of[dimension].end)};
    }
    return region;
}

std::optional<std::uint32_t> LaunchBoxes::box_of(const Index3& place) const {
    Region box_region;
    Index3 at;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        if (place[dimension] < of[dimension].first || place[dimension] >= of[dimension].end)
            return std::nullopt;
        at[dimension] = (place[dimension] - of[dimension].first) / each[dimension];
        box_region[dimension] = {0, divide_up(of[dimension].count(), each[dimension])};
    }
    return static_cast<std::uint32_t>(linear_index(box_region, at));
}

LaunchBoxes make_grid_boxes(const Dispatch& launch, const Slicing& slicing, const Region& workgroups) {
    LaunchBoxes boxes = arrange_boxes(workgroups, choose_merge(workgroups));
    const unsigned cut = launch.domain.dimensions() - 1;
    const std::uint64_t per_slice = workgroups_per_slice(slicing, launch.grid.along(cut));
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box) {
        const Region region = boxes.region_of(box);
        const bool odd = per_slice > 0 && region[cut].first / per_slice % 2 == 1;
        boxes.boxes[box] = {compute_work_range(launch, region).coverage(), odd};
    }
    return boxes;
}

LaunchBoxes make_workgroup_boxes(const Dispatch& launch, const Index3& workgroup,
                                 std::uint32_t subgroup_size) {
    LaunchBoxes boxes = arrange_boxes(full_region(launch.workgroup));
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box)
        boxes.boxes[box] = {coverage_of_invocation(launch, workgroup, index_at(boxes.of, box)),
                            box / subgroup_size % 2 == 1};
    return boxes;
}

LaunchBoxes make_subgroup_boxes(const Dispatch& launch, const Index3& workgroup, std::uint64_t subgroup,
                                std::uint32_t subgroup_size) {
    const std::uint64_t first = subgroup * subgroup_size;
    const std::uint64_t end = std::min(first + subgroup_size, launch.workgroup_size());
    LaunchBoxes boxes = arrange_boxes({IndexRange{first, end}, IndexRange{0, 1}, IndexRange{0, 1}});
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box)
        boxes.boxes[box] = {
            coverage_of_invocation(launch, workgroup, index_at(full_region(launch.workgroup), first + box)),
            subgroup % 2 == 1};
    return boxes;
}

}  // namespace gridstride
