// How a launch's elements are shared out: among the workgroups of its grid, and among the invocations of one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/plan.h"

namespace gridstride {

/// Along x, y and z, 0 where a dimension is not there: a workgroup in its grid, an invocation in its
/// workgroup, an element of the domain.
using Place = std::array<std::uint64_t, 3>;

struct Indices {
    std::uint64_t first = 0, end = 0;  ///< end lies outside
    std::uint64_t count() const { return end - first; }
    bool operator==(const Indices&) const = default;
};
/// Neighbours along x, y and z.
using Region = std::array<Indices, 3>;

Region whole(const Extent& extent);
std::uint64_t count_of(const Region& region);
/// Its n-th place, x running fastest; n is below count_of().
Place place_in(const Region& region, std::uint64_t n);
/// The n of a place.
std::uint64_t number_of(const Region& region, const Place& place);

/// "3", or with the dimensions of the extent that it lies in "(3, 1, 0)".
std::string text_of(const Place& place, const Extent& in);

enum class Filled { all, some, none };

/// What neighbouring workgroups take in all their passes.
struct Share {
    std::uint64_t workgroups = 0;
    std::uint64_t working = 0;   ///< of those: have elements
    std::uint64_t elements = 0;  ///< that they take
    std::uint64_t places = 0;    ///< of their tiles: those at the edge reach beyond the elements

    Filled filled() const;  ///< all: every workgroup works, and every place has its element
};
Share share_of(const Dispatch& launch, const Region& workgroups);

/// How often a workgroup takes a tile; 0: never.
std::uint64_t passes_of(const Dispatch& launch, const Place& workgroup);
/// The elements of one of its tiles. The passes are numbered as x runs fastest.
Region elements_of(const Dispatch& launch, const Place& workgroup, std::uint64_t pass);

/// What an invocation takes of its workgroup's tile. One element is known; which of several it takes, the
/// plan does not say (neighbours, or one here and one a workgroup further), so at the edge it may get fewer.
struct Taken {
    Region among{};          ///< elements, of which it takes some
    std::uint64_t most = 0;  ///< how many at most; 0: none
    bool surely = true;      ///< and not fewer
};
Taken taken_by(const Dispatch& launch, const Place& workgroup, std::uint64_t pass, const Place& invocation);
/// Of all passes. all: in each of its workgroup's passes it takes as many as it can.
Filled filled_by(const Dispatch& launch, const Place& workgroup, const Place& invocation);

// In words.

/// "Workgroup 3: elements 768 to 1 023, 1 pass", or what several take together.
std::string share_in_words(const Dispatch& launch, const Region& workgroups);
/// "element 773", "4 of elements 1 024 to 2 047", "no element".
std::string taken_in_words(const Dispatch& launch, const Taken& taken);
/// What the whole launch takes and in how many passes, what part of it has no elements, and the slices into
/// which the device's limits cut it: sentences, of which only those that apply.
std::vector<std::string> launch_in_words(const Dispatch& launch, std::size_t slices);

}  // namespace gridstride
