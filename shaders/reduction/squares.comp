#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of the squares of each workgroup's numbers: each invocation adds up its own in registers, four numbers to a load
// and four loads under way at once, and the workgroup does one tree at the end.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

// The buffer's end is a multiple of 16 bytes: what lies beyond `count` is not ours to add.
layout(std430, binding = 0) readonly buffer Quads { ELEMENT4 quads[]; };

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint grid = launch.workgroup_count * size;
    const uint whole = launch.count / 4;

    ELEMENT4 a = ELEMENT4(0), b = a, c = a, d = a;
    uint i = gl_WorkGroupID.x * size + lane;
    // A grid of more than a quarter of the quads has no four rounds to do, and 4 * grid might not fit 32 bits.
    const uint end = grid <= whole / 4 ? whole : 0;
    for (; i + 3 * grid < end; i += 4 * grid) {
        const ELEMENT4 x = quads[i], y = quads[i + grid], z = quads[i + 2 * grid], w = quads[i + 3 * grid];
        a += x * x;
        b += y * y;
        c += z * z;
        d += w * w;
    }
    for (; i < whole; i += grid)
        a += quads[i] * quads[i];
    const ELEMENT4 sum = (a + b) + (c + d);
    ELEMENT mine = (sum.x + sum.y) + (sum.z + sum.w);
    // One to three numbers may be left behind the last whole quad.
    if (gl_WorkGroupID.x == 0 && lane == 0)
        for (uint k = 0; k < launch.count % 4; ++k)
            mine += quads[whole][k] * quads[whole][k];
    sums[lane] = mine;
    barrier();

    for (uint values = size; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values)
            sums[lane] += sums[lane + keep];
        barrier();
        values = keep;
    }
    if (lane == 0) leave_partial_sum(sums[0]);
}
