// What a kernel needs that leaves one number for each row of a matrix: launch.columns numbers to a row, launch.count rows.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float x[]; };
layout(std430, binding = 1) writeonly buffer LogSums { float log_sums[]; };

float number_at(uint row, uint column) { return x[row * launch.columns + column]; }
void leave(uint row, float answer) { log_sums[place_of(row)] = answer; }

// A row for each invocation: its first one, and how far it is to the next. Workgroups beside the grid's first column have none.
const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
uint first_row() {
    return gl_WorkGroupID.x == 0 ? gl_WorkGroupID.y * invocations + gl_LocalInvocationIndex : launch.count;
}
uint step_of_rows() { return launch.workgroup_count * invocations; }

// The smallest number there is.
const float lowest = -3.402823466e38;
