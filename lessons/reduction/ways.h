// The ways to add up, and what follows from a way, a workgroup size and a grid: tiles, passes, loop
// iterations.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lesson/grid.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::reduction {

enum class Way {
    atomic_global,
    tree_interleaved,
    tree_sequential,
    tree_first_add,
    grid_stride,
    subgroup,
    single_pass,
};

std::vector<Variant> variants();

/// Throws std::out_of_range for a name that no variant has.
Way way_of(std::string_view variant);
/// From "reduction/tree_sequential.u32".
Way way_of_kernel(std::string_view kernel);

/// Elements that one invocation takes in one pass of the grid over the elements.
std::uint64_t elements_an_invocation(Way way);

/// Whether an invocation sums its share in registers, over all passes, before its workgroup adds anything up.
bool sums_before_tree(Way way);

/// Whether the device must have subgroup arithmetic.
bool uses_subgroups(Way way);

/// Levels of the tree that adds up `size` sums: ceil(log2(size)).
std::uint64_t tree_levels(std::uint64_t size);

/// The grid that "auto" stands for.
std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits);

/// The size of the one workgroup of the second launch.
std::uint64_t finish_workgroup_size(std::uint64_t partial_sums, const Limits& limits);

/// Loop iterations of one invocation, at most.
struct Iterations {
    std::uint64_t a_pass = 1;      ///< on each pass
    std::uint64_t a_dispatch = 0;  ///< besides, once
};
Iterations iterations(Way way, std::uint64_t workgroup_size, std::uint64_t workgroup_count,
                      bool compare_and_swap, const Limits& limits);

}  // namespace gridstride::lessons::reduction
