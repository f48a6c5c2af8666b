#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The second launch: one workgroup adds up the partial sums that the first one left. It need not ask whether they are
// complete: the plan has a barrier between the two launches, which holds this one back until the first has ended and its
// writes can be seen.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"
#include "common/quads.glsl"

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // [load]
    // "My numbers" are partial sums now, four to a
    // load, and the whole grid is this workgroup.
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
    if (lane == 0) leave_partial_sum(sums[0]);  // of the only workgroup: the total
}
