#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The sum of the squares of each workgroup's numbers: each invocation adds up its own in registers, four loads under way
// at once, and the workgroup does one tree at the end.
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

shared ELEMENT sums[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint grid = launch.workgroup_count * size;
    const uint count = launch.count;

    ELEMENT a = ELEMENT(0), b = ELEMENT(0), c = ELEMENT(0), d = ELEMENT(0);
    uint i = gl_WorkGroupID.x * size + lane;
    // A grid of more than a quarter of the numbers has no four rounds to do, and 4 * grid might not fit 32 bits.
    const uint end = grid <= count / 4 ? count : 0;
    for (; i + 3 * grid < end; i += 4 * grid) {
        const ELEMENT x = numbers[i], y = numbers[i + grid], z = numbers[i + 2 * grid], w = numbers[i + 3 * grid];
        a += x * x;
        b += y * y;
        c += z * z;
        d += w * w;
    }
    for (; i < count; i += grid)
        a += numbers[i] * numbers[i];
    sums[lane] = (a + b) + (c + d);
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
