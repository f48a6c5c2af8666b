// A row team: the invocations that process a row of a matrix together. Mirrors shaders/common/row_team.glsl.
#pragma once

#include <cstdint>

#include "launch/extent.h"

namespace gridstride {

struct RowTeam {
    std::uint64_t rows_at_once = 1;  ///< rows that a workgroup processes at once: one per subgroup, or 1
    std::uint64_t invocations = 1;   ///< invocations that share a row
    std::uint64_t merges = 1;        ///< max sequential merges of the subgroups' partial results
};

/// by_subgroups: give each subgroup of `lanes` invocations its own row, if all subgroups are full.
RowTeam row_team(const Extent& workgroup, std::uint64_t lanes, bool by_subgroups);

}  // namespace gridstride
