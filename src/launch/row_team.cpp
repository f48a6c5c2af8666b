#include "launch/row_team.h"

namespace gridstride {

RowTeam row_team(const Extent& workgroup, std::uint64_t lanes, bool by_subgroups) {
    // A driver may divide other workgroups as it likes.
    const bool are_full = workgroup.x % lanes == 0;
    const std::uint64_t subgroups = workgroup.product() / workgroup.x * divide_up(workgroup.x, lanes);
    RowTeam team;
    team.rows_at_once = by_subgroups && are_full ? subgroups : 1;
    team.invocations = team.rows_at_once > 1 ? lanes : workgroup.product();
    // Of those others, what each invocation leaves is looked at, perhaps by a single lane.
    team.merges = are_full ? divide_up(subgroups, lanes) : workgroup.product();
    return team;
}

}  // namespace gridstride
