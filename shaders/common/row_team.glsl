// Who does a row of a matrix: a team, which is a subgroup, or all of a workgroup where there are few rows or they are long. The launch
// goes down the rows: launch.count of them, launch.columns numbers each. common/of_team.glsl makes one of what a team has found.
//
// The includer requires GL_KHR_shader_subgroup_basic. Its own specialisation constants begin at 4.
#include "common/launch.glsl"

layout(constant_id = 3) const uint rows_at_once = 1;  // of a workgroup: one for each subgroup, or 1, which all of it share

const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;

// This invocation's team, and its place there. A subgroup has a row of its own only where all subgroups are full, so that its size
// is known when the kernel is compiled.
const bool shares_row = rows_at_once == 1;
uint team = shares_row ? invocations : gl_SubgroupSize;
uint me = shares_row ? gl_LocalInvocationIndex : gl_SubgroupInvocationID;
bool is_first_of_team() { return shares_row ? gl_LocalInvocationIndex == 0 : subgroupElect(); }

// A workgroup goes from its first rows by the whole grid. The grid goes down the rows: workgroups beside its first column have none,
// but in kernels that divide the work on a row among them.
uint first_row_in_any_column() { return gl_WorkGroupID.y * rows_at_once + (shares_row ? 0 : gl_SubgroupID); }
uint first_row() { return gl_WorkGroupID.x == 0 ? first_row_in_any_column() : launch.count; }
uint step_of_rows() { return launch.workgroup_count * rows_at_once; }
