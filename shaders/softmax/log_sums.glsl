// What a kernel needs that leaves one number for each row of a matrix: launch.columns numbers to a row, launch.count rows. All
// invocations of a workgroup share a row: of them, `team` in number, this one is number `me`.
//
// The includer requires GL_KHR_shader_subgroup_basic.
#include "common/row_team.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float x[]; };
layout(std430, binding = 1) writeonly buffer LogSums { float log_sums[]; };

float number_at(uint row, uint column) { return x[row * launch.columns + column]; }
// One invocation of the team calls this for each row, once.
void leave(uint row, float answer) { log_sums[place_of(row)] = answer; }

// The smallest number there is.
const float lowest = -3.402823466e38;
