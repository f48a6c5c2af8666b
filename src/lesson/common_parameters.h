// The parameters of every launch: what it runs over, its workgroups, its grid, and the seed.
#pragma once

#include "lesson/param.h"

namespace gridstride {

namespace key {
// Of a lesson whose domain is a count of elements.
inline constexpr Key<std::uint64_t> elements{"elements"};
inline constexpr Key<std::uint64_t> workgroup_size{"workgroup_size"};
inline constexpr Key<std::uint64_t> workgroup_count{"workgroup_count"};  ///< 0 = auto
// Of one with two or three dimensions.
inline constexpr Key<Extent> workgroup{"workgroup"};
inline constexpr Key<Extent> grid{"grid"};  ///< x = 0: auto

inline constexpr Key<std::uint64_t> seed{"seed"};
}  // namespace key

/// elements, workgroup_size, workgroup_count and seed, in that order, then the lesson's own.
std::vector<Parameter> common_parameters(std::uint64_t default_elements, std::uint64_t default_workgroup_size,
                                         std::vector<Parameter> own = {});

/// The domain's own two or three counts (Lesson::domain names them), workgroup, grid and seed, then the
/// lesson's own.
std::vector<Parameter> common_parameters(std::vector<Parameter> domain, const Extent& default_workgroup,
                                         std::vector<Parameter> own = {});

/// A count of elements along one dimension, as common_parameters() takes it.
Parameter domain_parameter(std::string id, std::string label, std::uint64_t default_value, std::string help);

// The launch that these values ask for. A grid of x = 0 is left to the lesson.
Extent workgroup_of(const Values& values);
Extent grid_of(const Values& values);

}  // namespace gridstride
