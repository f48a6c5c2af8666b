#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The second launch: one workgroup adds up the partial sums of the first launch. It need not check that they are
// complete: the plan has a barrier between the two launches, so this one starts after the first has ended and its
// writes are visible.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"
#include "common/quads.glsl"

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // [load]
    // The numbers are partial sums now, four per
    // load, and the grid is this one workgroup.
    sums[lane] = sum_of_my_numbers();
    barrier();
    // [/load]

    for (uint values = size; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values)
            sums[lane] += sums[lane + keep];
        barrier();
        values = keep;
    }
    if (lane == 0) store_partial_sum(sums[0]);  // the only partial sum is the total
}
