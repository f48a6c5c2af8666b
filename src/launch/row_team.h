// Who does a row of a matrix, as shaders/common/row_team.glsl has it.
#pragma once

#include <cstdint>

#include "launch/extent.h"

namespace gridstride {

struct RowTeam {
    std::uint64_t rows_at_once = 1;  ///< of a workgroup: one for each subgroup, or 1, which all of it share
    std::uint64_t invocations = 1;   ///< that share a row
    std::uint64_t merges = 1;        ///< of subgroups' parts, one after another, at most
};

/// by_subgroups: a row for each subgroup of `lanes`, where workgroups consist of full ones.
RowTeam row_team(const Extent& workgroup, std::uint64_t lanes, bool by_subgroups);

}  // namespace gridstride
