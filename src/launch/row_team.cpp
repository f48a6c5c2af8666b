#include "launch/row_team.h"

namespace gridstride {

RowTeam row_team(const Extent& workgroup, std::uint64_t lanes, bool by_subgroups) {
    // If the width is not a multiple of the subgroup size, the driver may form subgroups in any way.
    const bool are_full = workgroup.x % lanes == 0;
    const std::uint64_t subgroups = workgroup.product() / workgroup.x * divide_up(workgroup.x, lanes);
    RowTeam team;
    team.rows_at_once = by_subgroups && are_full ? subgroups : 1;
    team.invocations = team.rows_at_once > 1 ? lanes : workgroup.product();
    // In that case every invocation leaves a partial result, and one lane may have to merge all of them.
    team.merges = are_full ? divide_up(subgroups, lanes) : workgroup.product();
    return team;
}

}  // namespace gridstride
