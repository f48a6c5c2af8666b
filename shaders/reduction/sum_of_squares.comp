#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of the squares of each workgroup's numbers: each invocation adds up its own in registers, with four numbers per
// load and four loads in flight at once, and subgroup additions replace the tree at the end.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/partials.glsl"
#include "common/quads.glsl"
#include "common/workgroup_sum.glsl"

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;
    const uint whole = launch.count / 4;

    ELEMENT4 a = ELEMENT4(0), b = a, c = a, d = a;
    uint i = gl_WorkGroupID.x * size + gl_LocalInvocationIndex;
    for (; i + 3 * grid < whole; i += 4 * grid) {
        const ELEMENT4 x = quads[i], y = quads[i + grid], z = quads[i + 2 * grid], w = quads[i + 3 * grid];
        a += x * x;
        b += y * y;
        c += z * z;
        d += w * w;
    }
    // Up to three are left per invocation, and they are loaded together, too.
    if (i < whole) a += quads[i] * quads[i];
    if (i + grid < whole) b += quads[i + grid] * quads[i + grid];
    if (i + 2 * grid < whole) c += quads[i + 2 * grid] * quads[i + 2 * grid];
    const ELEMENT4 sum = (a + b) + (c + d);
    ELEMENT mine = (sum.x + sum.y) + (sum.z + sum.w);
    // One to three numbers may remain after the last whole quad.
    if (gl_GlobalInvocationID.x == 0)
        for (uint n = 0; n < launch.count % 4; ++n)
            mine += quads[whole][n] * quads[whole][n];
    const ELEMENT total = sum_of_workgroup(mine, true);
    if (is_first()) store_partial_sum(total);
}
