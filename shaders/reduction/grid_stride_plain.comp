#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The sum of each workgroup's numbers: each invocation first adds up many numbers in a register, and the workgroup runs
// one tree at the end. There are as many workgroups as keep the device busy, or fewer if there are few
// numbers.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // [loop]
    // Invocations of the whole launch.
    const uint grid = launch.workgroup_count * size;
    ELEMENT sum = ELEMENT(0);
    for (uint i = gl_WorkGroupID.x * size + lane;
         i < launch.count; i += grid)
        sum += numbers[i];
    // [/loop]

    // [load]
    sums[lane] = sum;
    if (barrier_after_load) barrier();
    // [/load]

    // [tree]
    for (uint values = size; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values)
            sums[lane] += sums[lane + keep];
        barrier();
        values = keep;
    }
    // [/tree]

    if (lane == 0) store_partial_sum(sums[0]);
}
