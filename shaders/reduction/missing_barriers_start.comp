#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The sum of each workgroup's numbers, by a tree that adds the upper half to the lower half.
// All barriers have been removed: put them back where one is needed.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    ELEMENT total = ELEMENT(0);  // held by invocation 0, over all tiles of its workgroup
    for (uint start = gl_WorkGroupID.x * size; start < launch.count;
         start += launch.workgroup_count * size) {
        const uint i = start + lane;
        sums[lane] = i < launch.count ? numbers[i] : ELEMENT(0);
        for (uint values = size; values > 1;) {
            const uint keep = (values + 1) / 2;
            if (lane + keep < values)
                sums[lane] += sums[lane + keep];
            values = keep;
        }
        if (lane == 0) total += sums[0];
    }

    if (lane == 0) store_partial_sum(total);
}
