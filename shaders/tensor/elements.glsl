// Shared by kernels that are generated from a graph: the elements of a launch, and functions.
#include "common/launch.glsl"
#include "tensor/functions.glsl"

// Elements are processed in quads of four: an invocation starts with its own quad and strides by the whole grid. Buffers are bound
// as multiples of 16 bytes, so the last quad may be incomplete.
uint quads() { return (launch.count + 3) / 4; }
uint first_quad() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
uint step_of_quads() { return launch.workgroup_count * gl_WorkGroupSize.x; }
// The indices of a quad's elements in the whole launch; past the end, the last element is repeated.
uvec4 elements_of(uint q) { return min(place_of(4 * q) + uvec4(0, 1, 2, 3), uvec4(launch.total - 1)); }
