#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The second launch: one workgroup adds up the partial sums that the first one left. It need not ask whether they are
// complete: a launch begins when the one before it has ended and its writes can be seen.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer PartialSums { ELEMENT4 partial_sums[]; };  // four to a load
layout(std430, binding = 1) buffer Total { ELEMENT total; };

shared ELEMENT sums[gl_WorkGroupSize.x];

// Number k of a quad; beyond the last partial sum there is nothing to add.
ELEMENT number_or_zero(ELEMENT4 quad, uint quad_index, uint k) {
    return 4 * quad_index + k < launch.count ? quad[k] : ELEMENT(0);
}

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // [load]
    ELEMENT sum = ELEMENT(0);
    for (uint i = lane; 4 * i < launch.count; i += size) {
        const ELEMENT4 quad = partial_sums[i];
        sum += (number_or_zero(quad, i, 0) + number_or_zero(quad, i, 1)) +
               (number_or_zero(quad, i, 2) + number_or_zero(quad, i, 3));
    }
    sums[lane] = sum;
    barrier();
    // [/load]

    for (uint values = size; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values)
            sums[lane] += sums[lane + keep];
        barrier();
        values = keep;
    }
    if (lane == 0) total = launch.fresh == 1 ? sums[0] : total + sums[0];
}
