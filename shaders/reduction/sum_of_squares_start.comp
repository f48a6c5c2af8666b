#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of the squares of each workgroup's numbers, by one tree for each tile. It is right,
// but slow. workgroup_sum.glsl has sums[], one per invocation, and sum_of_workgroup(mine,
// true), which returns the sum where is_first() is true.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/partials.glsl"
#include "common/workgroup_sum.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    ELEMENT total = ELEMENT(0);  // held by invocation 0, over all tiles of its workgroup
    for (uint start = gl_WorkGroupID.x * size; start < launch.count;
         start += launch.workgroup_count * size) {
        // TODO: most of the time goes into a tree for every tile.
        const uint i = start + lane;
        sums[lane] = i < launch.count ? numbers[i] * numbers[i] : ELEMENT(0);
        barrier();
        for (uint values = size; values > 1;) {
            const uint keep = (values + 1) / 2;
            if (lane + keep < values)
                sums[lane] += sums[lane + keep];
            barrier();
            values = keep;
        }
        if (lane == 0) total += sums[0];
    }

    if (lane == 0) store_partial_sum(total);
}
