// The parameters that every lesson has, and what can be said about them without knowing the lesson.
#pragma once

#include "lesson/param.h"
#include "lesson/remark.h"

namespace gridstride {

namespace key {
inline constexpr Key<std::uint64_t> elements{"elements"};
inline constexpr Key<std::uint64_t> workgroup_size{"workgroup_size"};
inline constexpr Key<std::uint64_t> workgroup_count{"workgroup_count"};  ///< 0 = auto
inline constexpr Key<std::uint64_t> seed{"seed"};
}  // namespace key

/// The four declarations, in that order.
std::vector<Parameter> common_parameters(std::uint64_t default_elements,
                                         std::uint64_t default_workgroup_size);

/// Notes and cautions on workgroup size and grid that hold for every kernel: whole subgroups, idle
/// invocations, elements an invocation. workgroup_count is the resolved one.
std::vector<Remark> common_remarks(const Values& values, std::uint64_t workgroup_count, const Limits& limits);

}  // namespace gridstride
