// Assigns rows of a matrix to teams. A team is a subgroup, or the whole workgroup if there are few rows or they are long. The launch
// covers the rows: launch.count of them, launch.columns numbers each. common/of_team.glsl combines the results of a team.
//
// The includer requires GL_KHR_shader_subgroup_basic. Its own specialisation constants start at 4.
#include "common/launch.glsl"

layout(constant_id = 3) const uint rows_at_once = 1;  // rows per workgroup: one per subgroup, or 1 that the workgroup shares

const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;

// This invocation's team, and its index in it. Subgroups have rows of their own only if all subgroups are full, so that their size
// is known when the kernel is compiled.
const bool shares_row = rows_at_once == 1;
uint team = shares_row ? invocations : gl_SubgroupSize;
uint rank = shares_row ? gl_LocalInvocationIndex : gl_SubgroupInvocationID;
bool is_first_of_team() { return shares_row ? gl_LocalInvocationIndex == 0 : subgroupElect(); }

// A workgroup starts at its first rows and strides by the whole grid. The grid covers the rows: workgroups beside its first column
// have none, except in kernels that divide the work on a row among them.
uint first_row_in_any_column() { return gl_WorkGroupID.y * rows_at_once + (shares_row ? 0 : gl_SubgroupID); }
uint first_row() { return gl_WorkGroupID.x == 0 ? first_row_in_any_column() : launch.count; }
uint step_of_rows() { return launch.workgroup_count * rows_at_once; }
