#include "graph/bytes.h"

#include "launch/plan_builder.h"

namespace gridstride::tensor {

// One subgroup works on a row that is not too long, which needs no barrier. On a software device, which runs
// the lanes of a workgroup in turn, barriers cost most, so there it works on rows of any length.
RowTeam byte_row_team(const Limits& limits, const Extent& workgroup, std::uint64_t columns) {
    constexpr std::uint64_t numbers_per_invocation = 256;
    const std::uint64_t lanes = limits.subgroup_size;
    return row_team(workgroup, lanes, limits.is_cpu || columns <= numbers_per_invocation * lanes);
}

std::uint64_t vector_group_count(std::uint64_t vectors) {
    constexpr std::uint64_t max_vectors_per_group = 8;
    return divide_up(vectors, max_vectors_per_group);
}

void set_up_byte_launch(Dispatch& launch, const RowTeam& team, Scheme scheme, std::uint64_t columns,
                        std::uint64_t vectors, std::uint64_t part_bytes) {
    const std::uint64_t groups = vector_group_count(vectors), at_once = divide_up(vectors, groups);
    launch.constants = {word(team.rows_at_once), word(static_cast<std::uint64_t>(scheme)), word(at_once),
                        word(vectors)};
    // At most a number of the row per iteration, then merges of partial results, and the ends of loops.
    launch.iterations_per_pass = divide_up(groups, launch.grid.x) *
                                 (divide_up(columns, team.invocations) + at_once * (team.merges + 2) + 3);
    launch.shared_bytes = part_bytes * (team.rows_at_once > 1 ? 1 : launch.workgroup_size());
}

void set_up_scale_launch(Dispatch& launch, Scheme scheme) {
    launch.constants = {1, word(static_cast<std::uint64_t>(scheme))};
    launch.iterations_once = launch.workgroup_size() + 2;
    launch.shared_bytes = range_part_bytes * launch.workgroup_size();
}

}  // namespace gridstride::tensor
