#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of each workgroup's numbers as in grid_stride_plain, but with four numbers per load and several loads in flight
// at once, see common/quads.glsl.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"
#include "common/quads.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // [load]
    sums[lane] = sum_of_my_numbers();
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
