// Launch configuration for the kernels of shaders/softmax, which process rows: see shaders/softmax/rows.glsl.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/row_team.h"

namespace gridstride::tensor {

/// The invocations that work on one row, and their loop.
struct Team : RowTeam {
    std::uint64_t quads_per_invocation = 1;  ///< quads that an invocation holds in registers at a time
    std::uint64_t rounds = 1;
};
enum class TeamChoice { automatic, subgroup, workgroup };

/// Returns the team for rows of `columns` elements. If quads_per_invocation is 0, a default for the device is
/// chosen.
Team choose_team(const Limits& limits, const Extent& workgroup, std::uint64_t columns,
                 TeamChoice choice = TeamChoice::automatic, std::uint64_t quads_per_invocation = 0);

/// Sets the launch's constants, loop iterations and workgroup memory. Its domain is columns x rows, its tile
/// columns x RowTeam::rows_at_once. A subgroup's partial result takes `part_bytes` in workgroup memory.
void set_up_row_launch(Dispatch& launch, const Team& team, std::uint64_t columns, std::uint64_t passes,
                       std::uint64_t part_bytes);

}  // namespace gridstride::tensor
