// How a launch's elements are divided between the workgroups of its grid and the invocations of a workgroup.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/plan.h"

namespace gridstride {

/// An index along x, y and z, 0 in absent dimensions: of a workgroup in its grid, an invocation in its
/// workgroup, an element in the domain.
using Place = std::array<std::uint64_t, 3>;

struct Indices {
    std::uint64_t first = 0, end = 0;  ///< half-open
    std::uint64_t count() const { return end - first; }
    bool operator==(const Indices&) const = default;
};
/// A box of indices: a range along each of x, y and z.
using Region = std::array<Indices, 3>;

Region whole(const Extent& extent);
std::uint64_t count_of(const Region& region);
/// Returns the n-th index of the region, x fastest. n must be below count_of().
Place place_in(const Region& region, std::uint64_t n);
/// The inverse of place_in().
std::uint64_t number_of(const Region& region, const Place& place);

/// Returns "3", or "(3, 1, 0)" for an extent of several dimensions.
std::string text_of(const Place& place, const Extent& in);

enum class Filled { all, some, none };

/// The work of a region of workgroups over all their passes.
struct Share {
    std::uint64_t workgroups = 0;
    std::uint64_t working = 0;  ///< workgroups that have elements
    std::uint64_t elements = 0;
    std::uint64_t places = 0;  ///< element slots of their tiles; at the edge some lie outside the domain

    Filled filled() const;  ///< all: every workgroup has elements, and every slot has one
};
Share share_of(const Dispatch& launch, const Region& workgroups);

std::uint64_t passes_of(const Dispatch& launch, const Place& workgroup);
/// Returns the elements of one of the workgroup's tiles. Passes are numbered with x fastest.
Region elements_of(const Dispatch& launch, const Place& workgroup, std::uint64_t pass);

/// The elements of one invocation in its workgroup's tile. If the tile has several for each invocation, the
/// plan does not define which (neighbours, or a stride of one workgroup), so at the edge there may be fewer.
struct Taken {
    Region among{};          ///< a superset of its elements
    std::uint64_t most = 0;  ///< upper bound of their number; 0: none
    bool surely = true;      ///< exactly `most`
};
Taken taken_by(const Dispatch& launch, const Place& workgroup, std::uint64_t pass, const Place& invocation);
/// Over all passes. all: in each pass of its workgroup the invocation has as many elements as it can.
Filled filled_by(const Dispatch& launch, const Place& workgroup, const Place& invocation);

/// "Workgroup 3: elements 768 to 1 023, 1 pass.", or a summary of several workgroups.
std::string share_in_words(const Dispatch& launch, const Region& workgroups);
/// "element 773", "4 of elements 1 024 to 2 047", "no element".
std::string taken_in_words(const Dispatch& launch, const Taken& taken);
/// Describes the launch: elements and passes, slots and workgroups without elements, and the slices that the
/// device's limits require. Sentences that do not apply are omitted.
std::vector<std::string> launch_in_words(const Dispatch& launch, std::size_t slices);

}  // namespace gridstride
