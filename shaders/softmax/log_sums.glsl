// Shared by kernels that compute one number for each row of a matrix: launch.columns numbers per row, launch.count rows. All
// invocations of a workgroup share a row: this invocation has index `rank` of `team`.
//
// The includer requires GL_KHR_shader_subgroup_basic.
#include "common/row_team.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float x[]; };
layout(std430, binding = 1) writeonly buffer LogSums { float log_sums[]; };

float number_at(uint row, uint column) { return x[row * launch.columns + column]; }
// One invocation of the team calls this once for each row.
void leave(uint row, float answer) { log_sums[place_of(row)] = answer; }

// The smallest finite f32.
const float lowest = -3.402823466e38;
