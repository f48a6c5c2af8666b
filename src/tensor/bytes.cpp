#include "tensor/bytes.h"

#include "launch/plan_builder.h"

namespace gridstride::tensor {

// One subgroup works on a row that is not too long, which needs no barrier. On a software device, which runs
// the lanes of a workgroup in turn, barriers cost most, so there it works on rows of any length.
RowTeam team_over_bytes(const Limits& limits, const Extent& workgroup, std::uint64_t columns) {
    constexpr std::uint64_t numbers_each = 256;
    const std::uint64_t lanes = limits.subgroup_size;
    return row_team(workgroup, lanes, limits.is_cpu || columns <= numbers_each * lanes);
}

std::uint64_t groups_of_vectors(std::uint64_t vectors) {
    constexpr std::uint64_t max_at_once = 8;
    return divide_up(vectors, max_at_once);
}

void set_up_bytes(Dispatch& launch, const RowTeam& team, Scheme scheme, std::uint64_t columns,
                  std::uint64_t vectors, std::uint64_t part_bytes) {
    const std::uint64_t groups = groups_of_vectors(vectors), at_once = divide_up(vectors, groups);
    launch.constants = {word(team.rows_at_once), word(static_cast<std::uint64_t>(scheme)), word(at_once),
                        word(vectors)};
    // At most a number of the row per iteration, then merges of partial results, and the ends of loops.
    launch.iterations_per_pass = divide_up(groups, launch.grid.x) *
                                 (divide_up(columns, team.invocations) + at_once * (team.merges + 2) + 3);
    launch.shared_bytes = part_bytes * (team.rows_at_once > 1 ? 1 : launch.workgroup_size());
}

void set_up_steps(Dispatch& launch, Scheme scheme) {
    launch.constants = {1, word(static_cast<std::uint64_t>(scheme))};
    launch.iterations_once = launch.workgroup_size() + 2;
    launch.shared_bytes = part_bytes_of_range * launch.workgroup_size();
}

}  // namespace gridstride::tensor
