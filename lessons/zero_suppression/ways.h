// The ways to suppress, and what follows from a way, a workgroup size and a grid.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lesson/grid.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::zero_suppression {

enum class Way { per_sample, grid_stride, packed, compact };

std::vector<Variant> variants();

/// Throws std::out_of_range for a name that no variant has.
Way way_of(std::string_view variant);

/// Samples that one invocation takes in one pass of the grid: 8 in a load of 16 bytes; 1 with 16-bit storage
/// and a word of 2 without.
std::uint64_t samples_an_invocation(Way way, const Limits& limits);

/// Whether a kernel of this way touches single samples of 16 bits in memory, and so comes in two builds.
bool touches_single_samples(Way way);

/// The grid that "auto" stands for.
std::uint64_t natural_workgroup_count(Way way, std::uint64_t samples, std::uint64_t workgroup_size,
                                      const Limits& limits);

}  // namespace gridstride::lessons::zero_suppression
