// How the kernels of shaders/softmax go over the rows of a matrix: see shaders/softmax/rows.glsl.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"
#include "launch/row_team.h"

namespace gridstride::tensor {

/// Who does a row, and in how many rounds.
struct Team : RowTeam {
    std::uint64_t quads_each = 1;  ///< that each of them has in its registers at a time
    std::uint64_t rounds = 1;      ///< in which they go over the row
};
enum class TeamChoice { automatic, subgroup, workgroup };

/// For rows of so many columns. quads_each: 0 for what is natural on the device.
Team team_of(const Limits& limits, const Extent& workgroup, std::uint64_t columns,
             TeamChoice choice = TeamChoice::automatic, std::uint64_t quads_each = 0);

/// Gives the launch its constants, and says what it takes. Its domain is columns x rows, its tile
/// columns x Team::rows_at_once. part_bytes: what a subgroup leaves in workgroup memory.
void set_up_rows(Dispatch& launch, const Team& team, std::uint64_t columns, std::uint64_t passes,
                 std::uint64_t part_bytes);

}  // namespace gridstride::tensor
