// Parameters that every lesson has: the domain, the workgroup, the grid and the seed.
#pragma once

#include "lesson/param.h"

namespace gridstride {

namespace key {
// Keys of lessons with a one-dimensional domain.
inline constexpr Key<std::uint64_t> elements{"elements"};
inline constexpr Key<std::uint64_t> workgroup_size{"workgroup_size"};
inline constexpr Key<std::uint64_t> workgroup_count{"workgroup_count"};  ///< 0 means auto
// Keys of lessons with a two- or three-dimensional domain.
inline constexpr Key<Extent> workgroup{"workgroup"};
inline constexpr Key<Extent> grid{"grid"};  ///< x = 0 means auto

inline constexpr Key<std::uint64_t> seed{"seed"};
}  // namespace key

/// Returns elements, workgroup_size, workgroup_count and seed, in that order, followed by `own`, the lesson's
/// own parameters.
std::vector<Parameter> common_parameters(std::uint64_t default_elements, std::uint64_t default_workgroup_size,
                                         std::vector<Parameter> own = {});

/// Returns the two or three parameters of the domain (Lesson::domain names them), workgroup, grid and seed,
/// in that order, followed by `own`.
std::vector<Parameter> common_parameters(std::vector<Parameter> domain, const Extent& default_workgroup,
                                         std::vector<Parameter> own = {});

/// Returns the parameter for the number of elements along one dimension, for common_parameters().
Parameter domain_parameter(std::string id, std::string label, std::uint64_t default_value, std::string help);

/// Returns the requested workgroup size, in invocations along each dimension.
Extent requested_workgroup(const Values& values);
/// Returns the requested grid, in workgroups along each dimension. x = 0 means that the plan chooses it.
Extent requested_grid(const Values& values);

}  // namespace gridstride
