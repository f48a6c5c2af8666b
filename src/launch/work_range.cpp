#include "launch/work_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/language.h"
#include "base/units.h"

namespace gridstride {

namespace {

/// The tiles of the grid's workgroup `at` along one dimension.
struct TilesAlong {
    std::uint64_t tiles, grid, tile, domain;

    TilesAlong(const Dispatch& launch, unsigned dimension)
        : tiles(divide_up(launch.domain.along(dimension), launch.tile.along(dimension))),
          grid(launch.grid.along(dimension)),
          tile(launch.tile.along(dimension)),
          domain(launch.domain.along(dimension)) {}

    std::uint64_t passes(std::uint64_t at) const { return at < tiles ? divide_up(tiles - at, grid) : 0; }
    IndexRange elements(std::uint64_t at, std::uint64_t pass) const {
        const std::uint64_t first = (at + pass * grid) * tile;
        return {std::min(first, domain), std::min(first + tile, domain)};
    }
};

/// Items are distributed round-robin in stripes to `grid` receivers. Returns how many of `total` items the
/// receivers in `to` get.
std::uint64_t count_dealt(std::uint64_t total, std::uint64_t stripe, std::uint64_t grid,
                          const IndexRange& to) {
    const std::uint64_t round = stripe * grid, rest = total % round;
    return total / round * to.count() * stripe + std::min(rest, to.end * stripe) -
           std::min(rest, to.first * stripe);
}

/// The elements of invocation `i` along one dimension of a tile.
struct ElementsAlong {
    IndexRange superset;
    std::uint64_t max_count = 0;
    bool is_exact = true;
};
ElementsAlong elements_along(const Dispatch& launch, unsigned dimension, const IndexRange& tile,
                             std::uint64_t i) {
    const std::uint64_t whole_tile = launch.tile.along(dimension), width = launch.workgroup.along(dimension);
    if (i >= tile.count()) return {};
    if (whole_tile <= width) return {{tile.first + i, tile.first + i + 1}, 1};
    const bool even = whole_tile % width == 0 && tile.count() == whole_tile;
    return {tile, std::min(divide_up(whole_tile, width), tile.count()), even};
}

Index3 split_pass(const Dispatch& launch, const Index3& workgroup, std::uint64_t pass) {
    Region passes;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        passes[dimension] = {0, TilesAlong(launch, dimension).passes(workgroup[dimension])};
    return index_at(passes, pass);
}

/// Returns, for example, "element 773", "elements 768 to 1 023", "elements (0, 16) to (15, 31)".
std::string format_elements(const Dispatch& launch, const Region& elements) {
    Index3 last;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        last[dimension] = elements[dimension].end - 1;
    const std::string from = text_of(index_at(elements, 0), launch.domain);
    if (count_indices(elements) == 1) return tr("element {}", from);
    return tr("elements {} to {}", from, text_of(last, launch.domain));
}

std::string describe_workgroup(const Dispatch& launch, const Index3& workgroup, const WorkRange& work) {
    const std::string name = tr("Workgroup {}", text_of(workgroup, launch.grid));
    if (work.elements == 0) return name + tr(": no element");
    const std::uint64_t passes = count_passes(launch, workgroup);
    const std::string first = format_elements(launch, elements_of_pass(launch, workgroup, 0));
    const std::string missing =
        work.slots > work.elements
            ? tr("; {} without an element", counted(work.slots - work.elements, "slot", "slots"))
            : "";
    if (passes == 1) return tr("{}: {}, 1 pass{}", name, first, missing);
    return tr("{}: {} in {}, first {}{}", name, counted(work.elements, "element", "elements"),
              counted(passes, "pass", "passes"), first, missing);
}

}  // namespace

Region full_region(const Extent& extent) {
    return {IndexRange{0, extent.along(0)}, IndexRange{0, extent.along(1)}, IndexRange{0, extent.along(2)}};
}

std::uint64_t count_indices(const Region& region) {
    return region[0].count() * region[1].count() * region[2].count();
}

Index3 index_at(const Region& region, std::uint64_t n) {
    Index3 place;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        place[dimension] = region[dimension].first + n % region[dimension].count();
        n /= region[dimension].count();
    }
    return place;
}

std::uint64_t linear_index(const Region& region, const Index3& place) {
    const auto along = [&](unsigned dimension) { return place[dimension] - region[dimension].first; };
    return along(0) + region[0].count() * (along(1) + region[1].count() * along(2));
}

std::string text_of(const Index3& place, const Extent& in) {
    if (in.dimensions() == 1) return format_count(place[0]);
    std::string text = "(" + format_count(place[0]);
    for (unsigned dimension = 1; dimension < in.dimensions(); ++dimension)
        text += ", " + format_count(place[dimension]);
    return text + ")";
}

Coverage WorkRange::coverage() const {
    if (elements == 0) return Coverage::none;
    return active_workgroups == workgroups && elements == slots ? Coverage::all : Coverage::some;
}

WorkRange compute_work_range(const Dispatch& launch, const Region& workgroups) {
    WorkRange work{count_indices(workgroups), 1, 1, launch.elements_per_workgroup()};
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const TilesAlong along(launch, dimension);
        const IndexRange& range = workgroups[dimension];
        work.active_workgroups *= std::min(range.end, along.tiles) - std::min(range.first, along.tiles);
        work.elements *= count_dealt(along.domain, along.tile, along.grid, range);
        work.slots *= count_dealt(along.tiles, 1, along.grid, range);
    }
    return work;
}

std::uint64_t count_passes(const Dispatch& launch, const Index3& workgroup) {
    std::uint64_t passes = 1;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        passes *= TilesAlong(launch, dimension).passes(workgroup[dimension]);
    return passes;
}

Region elements_of_pass(const Dispatch& launch, const Index3& workgroup, std::uint64_t pass) {
    const Index3 passes = split_pass(launch, workgroup, pass);
    Region elements;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        elements[dimension] = TilesAlong(launch, dimension).elements(workgroup[dimension], passes[dimension]);
    return elements;
}

ElementsOfInvocation find_elements_of_invocation(const Dispatch& launch, const Index3& workgroup,
                                                 std::uint64_t pass, const Index3& invocation) {
    const Region tile = elements_of_pass(launch, workgroup, pass);
    ElementsOfInvocation own_elements{.max_count = 1};
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const ElementsAlong along = elements_along(launch, dimension, tile[dimension], invocation[dimension]);
        own_elements.superset[dimension] = along.superset;
        own_elements.max_count *= along.max_count;
        own_elements.is_exact = own_elements.is_exact && along.is_exact;
    }
    return own_elements;
}

Coverage coverage_of_invocation(const Dispatch& launch, const Index3& workgroup, const Index3& invocation) {
    bool all = true;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const TilesAlong along(launch, dimension);
        const std::uint64_t passes = along.passes(workgroup[dimension]);
        if (passes == 0) return Coverage::none;
        // Only the last tile can be cut off at the edge. Invocations beyond the tile never have elements.
        const ElementsAlong last = elements_along(
            launch, dimension, along.elements(workgroup[dimension], passes - 1), invocation[dimension]);
        if (invocation[dimension] >= along.tile || (passes == 1 && last.max_count == 0))
            return Coverage::none;
        all = all && last.max_count > 0 && last.is_exact;
    }
    return all ? Coverage::all : Coverage::some;
}

std::string describe_workgroups(const Dispatch& launch, const Region& workgroups) {
    const WorkRange work = compute_work_range(launch, workgroups);
    const std::uint64_t count = work.workgroups;
    if (count == 1) return describe_workgroup(launch, index_at(workgroups, 0), work) + ".";
    const std::string names = tr("Workgroups {} to {}", text_of(index_at(workgroups, 0), launch.grid),
                                 text_of(index_at(workgroups, count - 1), launch.grid));
    if (work.elements == 0) return names + tr(": no element.");
    const std::uint64_t idle = count - work.active_workgroups;
    return fmt::format("{}: {}{}.", names, counted(work.elements, "element", "elements"),
                       idle > 0 ? tr("; {} of {} have none", format_count(idle), format_count(count)) : "");
}

std::string describe_elements(const Dispatch& launch, const ElementsOfInvocation& own_elements) {
    if (own_elements.max_count == 0) return tr("no element");
    std::string elements = format_elements(launch, own_elements.superset);
    if (count_indices(own_elements.superset) == 1) return elements;
    return tr("{}{} of {}", own_elements.is_exact ? "" : tr("at most "), format_count(own_elements.max_count),
              elements);
}

std::vector<std::string> describe_launch(const Dispatch& launch, std::size_t slices) {
    const WorkRange work = compute_work_range(launch, full_region(launch.grid));
    std::vector<std::string> words = {
        tr("In one pass a workgroup processes at most {}; the grid covers all {} in {}.",
           counted(launch.elements_per_workgroup(), "element", "elements"), format_count(launch.elements()),
           counted(launch.passes(), "pass", "passes"))};
    if (work.slots > work.elements)
        words.push_back(tr("At the edge, {} of {} slots have no element.",
                           format_count(work.slots - work.elements), format_count(work.slots)));
    if (const std::uint64_t idle = work.workgroups - work.active_workgroups; idle > 0)
        words.push_back(tr("{} of {} have no elements.", format_count(idle),
                           counted(work.workgroups, "workgroup", "workgroups")));
    if (slices > 1)
        words.push_back(
            tr("The limits of this device cut the launch into {} slices, dispatched one after another.",
               format_count(slices)));
    return words;
}

}  // namespace gridstride
