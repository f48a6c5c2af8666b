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
using Index3 = std::array<std::uint64_t, 3>;

struct IndexRange {
    std::uint64_t first = 0, end = 0;  ///< half-open
    std::uint64_t count() const { return end - first; }
    bool operator==(const IndexRange&) const = default;
};
/// A box of indices: a range along each of x, y and z.
using Region = std::array<IndexRange, 3>;

Region full_region(const Extent& extent);  ///< all indices of the extent
std::uint64_t count_indices(const Region& region);
/// Returns the n-th index of the region, x fastest. n must be below count_indices().
Index3 index_at(const Region& region, std::uint64_t n);
/// The inverse of index_at().
std::uint64_t linear_index(const Region& region, const Index3& place);

/// Returns "3", or "(3, 1, 0)" for an extent of several dimensions.
std::string text_of(const Index3& place, const Extent& in);

enum class Coverage { all, some, none };

/// The work of a region of workgroups over all their passes.
struct WorkRange {
    std::uint64_t workgroups = 0;
    std::uint64_t active_workgroups = 0;  ///< workgroups that have elements
    std::uint64_t elements = 0;
    std::uint64_t slots = 0;  ///< element slots of their tiles; at the edge some lie outside the domain

    Coverage coverage() const;  ///< all: every workgroup has elements, and every slot has one
};
/// Adds up the work of these workgroups of the launch, over all their passes.
WorkRange compute_work_range(const Dispatch& launch, const Region& workgroups);

/// Returns how many tiles the workgroup processes one after another.
std::uint64_t count_passes(const Dispatch& launch, const Index3& workgroup);
/// Returns the elements of one of the workgroup's tiles. Passes are numbered with x fastest.
Region elements_of_pass(const Dispatch& launch, const Index3& workgroup, std::uint64_t pass);

/// The elements of one invocation in its workgroup's tile. If the tile has several for each invocation, the
/// plan does not define which (neighbours, or a stride of one workgroup), so at the edge there may be fewer.
struct ElementsOfInvocation {
    Region superset{};            ///< a superset of its elements
    std::uint64_t max_count = 0;  ///< upper bound of their number; 0: none
    bool is_exact = true;         ///< exactly `max_count`
};
ElementsOfInvocation find_elements_of_invocation(const Dispatch& launch, const Index3& workgroup,
                                                 std::uint64_t pass, const Index3& invocation);
/// Over all passes. all: in each pass of its workgroup the invocation has as many elements as it can.
Coverage coverage_of_invocation(const Dispatch& launch, const Index3& workgroup, const Index3& invocation);

/// Returns "Workgroup 3: elements 768 to 1 023, 1 pass.", or a summary of several workgroups.
std::string describe_workgroups(const Dispatch& launch, const Region& workgroups);
/// Returns, for example, "element 773", "4 of elements 1 024 to 2 047", "no element".
std::string describe_elements(const Dispatch& launch, const ElementsOfInvocation& own_elements);
/// Describes the launch: elements and passes, slots and workgroups without elements, and the slices that the
/// device's limits require. Sentences that do not apply are omitted.
std::vector<std::string> describe_launch(const Dispatch& launch, std::size_t slices);

}  // namespace gridstride
