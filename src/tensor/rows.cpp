#include "tensor/rows.h"

#include <algorithm>

#include "launch/plan_builder.h"

namespace gridstride::tensor {

namespace {
/// Returns how many quads (16 bytes) an invocation may hold in registers without reducing occupancy. On a
/// software device, unrolling more costs compile time.
std::uint64_t max_quads_per_invocation(const Limits& limits) {
    return limits.is_cpu ? 4 : 8;
}
}  // namespace

Team choose_team(const Limits& limits, const Extent& workgroup, std::uint64_t columns, TeamChoice choice,
                 std::uint64_t quads_per_invocation) {
    const std::uint64_t lanes = limits.subgroup_size;
    // A row that does not begin at a quad may span one more.
    const std::uint64_t quads = columns % 4 == 0 ? columns / 4 : (columns + 6) / 4;
    const std::uint64_t max_quads =
        quads_per_invocation > 0 ? quads_per_invocation : max_quads_per_invocation(limits);
    const bool by_subgroups =
        choice == TeamChoice::automatic ? quads <= lanes * max_quads : choice == TeamChoice::subgroup;
    Team team{row_team(workgroup, lanes, by_subgroups)};
    team.quads_per_invocation = quads_per_invocation > 0
                                    ? quads_per_invocation
                                    : std::min(max_quads, divide_up(quads, team.invocations));
    team.rounds = divide_up(quads, team.quads_per_invocation * team.invocations);
    return team;
}

void set_up_row_launch(Dispatch& launch, const Team& team, std::uint64_t columns, std::uint64_t passes,
                       std::uint64_t part_bytes) {
    launch.constants = {word(team.rows_at_once), word(team.quads_per_invocation), columns % 4 == 0 ? 1U : 0U};
    // The loops over the quads of a round are unrolled. Each other loop has one more iteration for its end.
    launch.iterations_per_pass = passes * (team.rounds + team.merges + 2) + 1;
    launch.shared_bytes = part_bytes * (team.rows_at_once > 1 ? 1 : launch.workgroup_size());
}

}  // namespace gridstride::tensor
