// What a kernel needs that is made from a graph: the elements of a launch, and functions.
#include "common/launch.glsl"
#include "tensor/functions.glsl"

// Elements are taken four at a time, quads: an invocation begins with its own and goes on by the whole grid. Buffers are bound as
// multiples of 16 bytes, so the last quad may have less than four.
uint quads() { return (launch.count + 3) / 4; }
uint first_quad() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
uint step_of_quads() { return launch.workgroup_count * gl_WorkGroupSize.x; }
// The numbers of a quad's elements in the whole launch; behind the last one there is none, and it stands for them.
uvec4 elements_of(uint q) { return min(place_of(4 * q) + uvec4(0, 1, 2, 3), uvec4(launch.total - 1)); }
