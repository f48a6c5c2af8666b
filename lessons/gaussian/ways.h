// The ways to evaluate the density, and what follows from a way and a workgroup size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lesson/grid.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::gaussian {

enum class Way { per_element, grid_stride, vec4, float64 };

std::vector<Variant> variants();

/// Throws std::out_of_range for a name that no variant has.
Way way_of(std::string_view variant);
/// From "gaussian/vec4".
Way way_of_kernel(std::string_view kernel);

bool computes_in_double(Way way);

/// Elements that one invocation takes in one pass of the grid over the elements.
std::uint64_t elements_an_invocation(Way way);

/// Floating-point operations for one x, as the kernels spell them out. f32: x - mean, times 1/sigma, times
/// -1/2, times z, exp counted as one, times the peak: 6. Double: the same with exp as it is spelt out there:
/// 7 to reduce the range, 13 multiply-adds at 2 each, times the power of two: 5 + 34.
std::uint64_t operations_an_element(Way way);

/// The grid that "auto" stands for.
std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits);

}  // namespace gridstride::lessons::gaussian
