#include "launch/share.h"

#include <fmt/format.h>

#include <algorithm>

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
    Indices elements(std::uint64_t at, std::uint64_t pass) const {
        const std::uint64_t first = (at + pass * grid) * tile;
        return {std::min(first, domain), std::min(first + tile, domain)};
    }
};

/// Items are distributed round-robin in stripes to `grid` receivers. Returns how many of `total` items the
/// receivers in `to` get.
std::uint64_t dealt(std::uint64_t total, std::uint64_t stripe, std::uint64_t grid, const Indices& to) {
    const std::uint64_t round = stripe * grid, rest = total % round;
    return total / round * to.count() * stripe + std::min(rest, to.end * stripe) -
           std::min(rest, to.first * stripe);
}

/// The elements of invocation `i` along one dimension of a tile.
struct TakenAlong {
    Indices among;
    std::uint64_t most = 0;
    bool surely = true;
};
TakenAlong taken_along(const Dispatch& launch, unsigned dimension, const Indices& tile, std::uint64_t i) {
    const std::uint64_t whole_tile = launch.tile.along(dimension), width = launch.workgroup.along(dimension);
    if (i >= tile.count()) return {};
    if (whole_tile <= width) return {{tile.first + i, tile.first + i + 1}, 1};
    const bool even = whole_tile % width == 0 && tile.count() == whole_tile;
    return {tile, std::min(divide_up(whole_tile, width), tile.count()), even};
}

Place pass_along_each(const Dispatch& launch, const Place& workgroup, std::uint64_t pass) {
    Region passes;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        passes[dimension] = {0, TilesAlong(launch, dimension).passes(workgroup[dimension])};
    return place_in(passes, pass);
}

/// "element 773", "elements 768 to 1 023", "elements (0, 16) to (15, 31)".
std::string elements_in_words(const Dispatch& launch, const Region& elements) {
    Place last;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        last[dimension] = elements[dimension].end - 1;
    const std::string from = text_of(place_in(elements, 0), launch.domain);
    if (count_of(elements) == 1) return "element " + from;
    return fmt::format("elements {} to {}", from, text_of(last, launch.domain));
}

std::string one_in_words(const Dispatch& launch, const Place& workgroup, const Share& share) {
    const std::string name = "Workgroup " + text_of(workgroup, launch.grid);
    if (share.elements == 0) return name + ": no element";
    const std::uint64_t passes = passes_of(launch, workgroup);
    const std::string first = elements_in_words(launch, elements_of(launch, workgroup, 0));
    const std::string missing =
        share.places > share.elements
            ? fmt::format("; {} without an element", counted(share.places - share.elements, "slot"))
            : "";
    if (passes == 1) return fmt::format("{}: {}, 1 pass{}", name, first, missing);
    return fmt::format("{}: {} in {}, first {}{}", name, counted(share.elements, "element"),
                       counted(passes, "pass", "passes"), first, missing);
}

}  // namespace

Region whole(const Extent& extent) {
    return {Indices{0, extent.along(0)}, Indices{0, extent.along(1)}, Indices{0, extent.along(2)}};
}

std::uint64_t count_of(const Region& region) {
    return region[0].count() * region[1].count() * region[2].count();
}

Place place_in(const Region& region, std::uint64_t n) {
    Place place;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        place[dimension] = region[dimension].first + n % region[dimension].count();
        n /= region[dimension].count();
    }
    return place;
}

std::uint64_t number_of(const Region& region, const Place& place) {
    const auto along = [&](unsigned dimension) { return place[dimension] - region[dimension].first; };
    return along(0) + region[0].count() * (along(1) + region[1].count() * along(2));
}

std::string text_of(const Place& place, const Extent& in) {
    if (in.dimensions() == 1) return format_count(place[0]);
    std::string text = "(" + format_count(place[0]);
    for (unsigned dimension = 1; dimension < in.dimensions(); ++dimension)
        text += ", " + format_count(place[dimension]);
    return text + ")";
}

Filled Share::filled() const {
    if (elements == 0) return Filled::none;
    return working == workgroups && elements == places ? Filled::all : Filled::some;
}

Share share_of(const Dispatch& launch, const Region& workgroups) {
    Share share{count_of(workgroups), 1, 1, launch.elements_per_workgroup()};
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const TilesAlong along(launch, dimension);
        const Indices& range = workgroups[dimension];
        share.working *= std::min(range.end, along.tiles) - std::min(range.first, along.tiles);
        share.elements *= dealt(along.domain, along.tile, along.grid, range);
        share.places *= dealt(along.tiles, 1, along.grid, range);
    }
    return share;
}

std::uint64_t passes_of(const Dispatch& launch, const Place& workgroup) {
    std::uint64_t passes = 1;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        passes *= TilesAlong(launch, dimension).passes(workgroup[dimension]);
    return passes;
}

Region elements_of(const Dispatch& launch, const Place& workgroup, std::uint64_t pass) {
    const Place passes = pass_along_each(launch, workgroup, pass);
    Region elements;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        elements[dimension] = TilesAlong(launch, dimension).elements(workgroup[dimension], passes[dimension]);
    return elements;
}

Taken taken_by(const Dispatch& launch, const Place& workgroup, std::uint64_t pass, const Place& invocation) {
    const Region tile = elements_of(launch, workgroup, pass);
    Taken taken{.most = 1};
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const TakenAlong along = taken_along(launch, dimension, tile[dimension], invocation[dimension]);
        taken.among[dimension] = along.among;
        taken.most *= along.most;
        taken.surely = taken.surely && along.surely;
    }
    return taken;
}

Filled filled_by(const Dispatch& launch, const Place& workgroup, const Place& invocation) {
    bool all = true;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
        const TilesAlong along(launch, dimension);
        const std::uint64_t passes = along.passes(workgroup[dimension]);
        if (passes == 0) return Filled::none;
        // Only the last tile can be cut off at the edge. Invocations beyond the tile never have elements.
        const TakenAlong last = taken_along(
            launch, dimension, along.elements(workgroup[dimension], passes - 1), invocation[dimension]);
        if (invocation[dimension] >= along.tile || (passes == 1 && last.most == 0)) return Filled::none;
        all = all && last.most > 0 && last.surely;
    }
    return all ? Filled::all : Filled::some;
}

std::string share_in_words(const Dispatch& launch, const Region& workgroups) {
    const Share share = share_of(launch, workgroups);
    const std::uint64_t count = share.workgroups;
    if (count == 1) return one_in_words(launch, place_in(workgroups, 0), share) + ".";
    const std::string names =
        fmt::format("Workgroups {} to {}", text_of(place_in(workgroups, 0), launch.grid),
                    text_of(place_in(workgroups, count - 1), launch.grid));
    if (share.elements == 0) return names + ": no element.";
    const std::uint64_t idle = count - share.working;
    return fmt::format(
        "{}: {}{}.", names, counted(share.elements, "element"),
        idle > 0 ? fmt::format("; {} of {} have none", format_count(idle), format_count(count)) : "");
}

std::string taken_in_words(const Dispatch& launch, const Taken& taken) {
    if (taken.most == 0) return "no element";
    std::string elements = elements_in_words(launch, taken.among);
    if (count_of(taken.among) == 1) return elements;
    return fmt::format("{}{} of {}", taken.surely ? "" : "at most ", format_count(taken.most), elements);
}

std::vector<std::string> launch_in_words(const Dispatch& launch, std::size_t slices) {
    const Share share = share_of(launch, whole(launch.grid));
    std::vector<std::string> words = {
        fmt::format("In one pass a workgroup processes at most {}; the grid covers all {} in {}.",
                    counted(launch.elements_per_workgroup(), "element"), format_count(launch.elements()),
                    counted(launch.passes(), "pass", "passes"))};
    if (share.places > share.elements)
        words.push_back(fmt::format("At the edge, {} of {} slots have no element.",
                                    format_count(share.places - share.elements), format_count(share.places)));
    if (const std::uint64_t idle = share.workgroups - share.working; idle > 0)
        words.push_back(fmt::format("{} of {} have no elements.", format_count(idle),
                                    counted(share.workgroups, "workgroup")));
    if (slices > 1)
        words.push_back(fmt::format(
            "The limits of this device cut the launch into {} slices, dispatched one after another.",
            format_count(slices)));
    return words;
}

}  // namespace gridstride
