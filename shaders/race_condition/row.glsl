// Shared by the kernels that smooth a row: the smoothed output, and the mean of a number and its two neighbours. The
// first and the last number stand in for their missing neighbours.
#include "common/launch.glsl"

layout(std430, binding = 0) buffer Smooth { uint smooth_numbers[]; };

uint before(uint i) { return max(i, 1) - 1; }
uint behind(uint i) { return min(i + 1, launch.total - 1); }
uint mean_of(uint left, uint own, uint right) { return (left + 2 * own + right) / 4; }

// The index of this invocation, and the number of invocations.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }
