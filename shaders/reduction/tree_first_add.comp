#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The sum of each workgroup's numbers, where each invocation adds two numbers as it loads them. So all invocations add
// once before the tree begins, and half as many workgroups process all the numbers.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

shared ELEMENT sums[gl_WorkGroupSize.x];

ELEMENT number_or_zero(uint i) { return i < launch.count ? numbers[i] : ELEMENT(0); }

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = 2 * size;

    ELEMENT total = ELEMENT(0);  // held by invocation 0, over all tiles of its workgroup
    for (uint start = gl_WorkGroupID.x * tile; start < launch.count; start += launch.workgroup_count * tile) {
        // [load]
        const uint i = start + lane;
        sums[lane] = number_or_zero(i) +
                     number_or_zero(i + size);
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
        if (lane == 0) total += sums[0];
    }

    if (lane == 0) store_partial_sum(total);
}
