#include "launch/row_team.h"

#include "test_includes.h"

namespace gridstride::row_team_test {

TEST(RowTeam, IsASubgroupOnlyIfAllSubgroupsAreFull) {
    const RowTeam subgroup = row_team({256, 2}, 32, true);
    EXPECT_EQ(subgroup.rows_at_once, 16u);
    EXPECT_EQ(subgroup.invocations, 32u);
    const RowTeam team_of_48 = row_team({48, 2}, 32, true);
    EXPECT_EQ(team_of_48.rows_at_once, 1u);
    EXPECT_EQ(team_of_48.invocations, 96u);
    EXPECT_EQ(team_of_48.merges, 96u) << "drivers may divide it in any way";
    const RowTeam workgroup = row_team({256, 2}, 32, false);
    EXPECT_EQ(workgroup.rows_at_once, 1u);
    EXPECT_EQ(workgroup.invocations, 512u);
    EXPECT_EQ(workgroup.merges, 1u) << "16 parts, one for each lane";
    EXPECT_EQ(row_team({1024, 1}, 8, false).merges, 16u) << "128 parts, 16 for each lane";
    EXPECT_EQ(row_team({32, 1}, 32, true).rows_at_once, 1u) << "a single subgroup is the workgroup";
}

}  // namespace gridstride::row_team_test
