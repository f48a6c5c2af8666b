#include "present/launch_boxes.h"

#include <algorithm>

namespace gridstride {

namespace {

constexpr std::uint64_t max_boxes_along = 128;
constexpr std::uint64_t longest_row = 32;
// The maximum ratio of the longest side to any other: a grid of 128 x 3 is drawn with boxes higher than wide.
constexpr float max_proportion = 4;

bool is_row(const Region& of) {
    return of[1].count() == 1 && of[2].count() == 1;
}

Solid wrapped_row(std::uint64_t count) {
    std::uint64_t length = longest_row;
    while (length * length / 2 < count)
        length *= 2;
    return {.boxes = {std::min(count, length), divide_up(count, length), 1},
            .count = static_cast<std::uint32_t>(count)};
}

/// Returns how many workgroups to merge along each dimension so that at most max_launch_boxes boxes remain.
Place merged_so(const Region& of) {
    Place each{1, 1, 1};
    for (;;) {
        Place boxes;
        for (unsigned dimension = 0; dimension < 3; ++dimension)
            boxes[dimension] = divide_up(of[dimension].count(), each[dimension]);
        const auto longest = std::ranges::max_element(boxes);
        const bool fits = is_row(of) || *longest <= max_boxes_along;
        if (fits && boxes[0] * boxes[1] * boxes[2] <= max_launch_boxes) return each;
        each[static_cast<std::size_t>(longest - boxes.begin())] *= 2;
    }
}

LaunchBoxes arranged(const Region& of, const Place& each = {1, 1, 1}) {
    LaunchBoxes boxes{.of = of, .each = each};
    if (is_row(of)) {
        boxes.solid = wrapped_row(divide_up(of[0].count(), each[0]));
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
                    std::max(1.0F, longest / max_proportion / static_cast<float>(sides[dimension]));
    }
    boxes.boxes.resize(boxes.solid.count);
    return boxes;
}

/// Returns how many workgroups, along the sliced dimension, run in one slice; 0 if every slice runs all.
std::uint64_t workgroups_of_slice(const Slicing& slicing, std::uint64_t grid) {
    const std::uint64_t of_first = slicing.slices.empty() ? grid : slicing.slices.front().workgroups;
    return of_first < grid ? of_first : 0;
}

}  // namespace

Region LaunchBoxes::region_of(std::uint32_t box) const {
    const glm::uvec3 at = is_row(of) ? glm::uvec3(box, 0, 0) : solid.place_of(box);
    Region region;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const std::uint64_t first = of[dimension].first + at[static_cast<int>(dimension)] * each[dimension];
        region[dimension] = {first, std::min(first + each[dimension], of[dimension].end)};
    }
    return region;
}

std::optional<std::uint32_t> LaunchBoxes::box_of(const Place& place) const {
    Region boxes_there;
    Place at;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        if (place[dimension] < of[dimension].first || place[dimension] >= of[dimension].end)
            return std::nullopt;
        at[dimension] = (place[dimension] - of[dimension].first) / each[dimension];
        boxes_there[dimension] = {0, divide_up(of[dimension].count(), each[dimension])};
    }
    return static_cast<std::uint32_t>(number_of(boxes_there, at));
}

LaunchBoxes boxes_of_grid(const Dispatch& launch, const Slicing& slicing, const Region& workgroups) {
    LaunchBoxes boxes = arranged(workgroups, merged_so(workgroups));
    const unsigned cut = launch.domain.dimensions() - 1;
    const std::uint64_t of_slice = workgroups_of_slice(slicing, launch.grid.along(cut));
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box) {
        const Region region = boxes.region_of(box);
        const bool odd = of_slice > 0 && region[cut].first / of_slice % 2 == 1;
        boxes.boxes[box] = {share_of(launch, region).filled(), odd};
    }
    return boxes;
}

LaunchBoxes boxes_of_workgroup(const Dispatch& launch, const Place& workgroup, std::uint32_t subgroup_size) {
    LaunchBoxes boxes = arranged(whole(launch.workgroup));
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box)
        boxes.boxes[box] = {filled_by(launch, workgroup, place_in(boxes.of, box)),
                            box / subgroup_size % 2 == 1};
    return boxes;
}

LaunchBoxes boxes_of_subgroup(const Dispatch& launch, const Place& workgroup, std::uint64_t subgroup,
                              std::uint32_t subgroup_size) {
    const std::uint64_t first = subgroup * subgroup_size;
    const std::uint64_t end = std::min(first + subgroup_size, launch.workgroup_size());
    LaunchBoxes boxes = arranged({Indices{first, end}, Indices{0, 1}, Indices{0, 1}});
    for (std::uint32_t box = 0; box < boxes.solid.count; ++box)
        boxes.boxes[box] = {filled_by(launch, workgroup, place_in(whole(launch.workgroup), first + box)),
                            subgroup % 2 == 1};
    return boxes;
}

}  // namespace gridstride
