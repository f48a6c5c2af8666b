#include "tensor/rows.h"

#include <algorithm>

#include "launch/plan_builder.h"

namespace gridstride::tensor {

namespace {
/// Returns how many quads (16 bytes) an invocation may hold in registers without reducing occupancy. On a
/// software device, unrolling more costs compile time.
std::uint64_t max_quads_each(const Limits& limits) {
    return limits.is_cpu ? 4 : 8;
}
}  // namespace

Team team_of(const Limits& limits, const Extent& workgroup, std::uint64_t columns, TeamChoice choice,
             std::uint64_t quads_each) {
    const std::uint64_t lanes = limits.subgroup_size;
    // A row that does not begin at a quad may span one more.
    const std::uint64_t quads = columns % 4 == 0 ? columns / 4 : (columns + 6) / 4;
    const std::uint64_t most = quads_each > 0 ? quads_each : max_quads_each(limits);
    const bool by_subgroups =
        choice == TeamChoice::automatic ? quads <= lanes * most : choice == TeamChoice::subgroup;
    Team team{row_team(workgroup, lanes, by_subgroups)};
    team.quads_each = quads_each > 0 ? quads_each : std::min(most, divide_up(quads, team.invocations));
    team.rounds = divide_up(quads, team.quads_each * team.invocations);
    return team;
}

void set_up_rows(Dispatch& launch, const Team& team, std::uint64_t columns, std::uint64_t passes,
                 std::uint64_t part_bytes) {
    launch.constants = {word(team.rows_at_once), word(team.quads_each), columns % 4 == 0 ? 1U : 0U};
    // The loops over the quads of a round are unrolled. Each other loop has one more iteration for its end.
    launch.iterations_per_pass = passes * (team.rounds + team.merges + 2) + 1;
    launch.shared_bytes = part_bytes * (team.rows_at_once > 1 ? 1 : launch.workgroup_size());
}

}  // namespace gridstride::tensor
