// A row of a matrix for each invocation: its first one, and how far it is to the next. The launch goes down the rows: launch.count of
// them. Workgroups beside the grid's first column have none.
#include "common/launch.glsl"

const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
uint first_row() {
    return gl_WorkGroupID.x == 0 ? gl_WorkGroupID.y * invocations + gl_LocalInvocationIndex : launch.count;
}
uint step_of_rows() { return launch.workgroup_count * invocations; }
