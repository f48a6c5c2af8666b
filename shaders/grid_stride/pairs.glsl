// Shared by the kernels of this lesson: pairs (x, y), the length of each, and a count for each invocation. A kernel first
// defines what a load returns:
//     #define NUMBER float
#include "common/launch.glsl"

layout(constant_id = 3) const bool counting = false;

layout(std430, binding = 0) readonly buffer X { NUMBER xs[]; };
layout(std430, binding = 1) readonly buffer Y { NUMBER ys[]; };
layout(std430, binding = 2) writeonly buffer Lengths { NUMBER lengths[]; };
layout(std430, binding = 3) buffer Taken { uint taken[]; };

// [length]
NUMBER length_of(NUMBER x, NUMBER y) {
    return sqrt(x * x + y * y);
}
// [/length]

// The index of this invocation, and the number of invocations.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }

// [count]
// How many elements this invocation took.
void leave_count(uint count) {
    if (!counting) return;
    const uint mine = workgroup() * gl_WorkGroupSize.x
                    + gl_LocalInvocationIndex;
    taken[mine] = launch.fresh == 1
        ? count : taken[mine] + count;
}
// [/count]
