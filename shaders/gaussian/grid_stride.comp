#version 450

// The grid is as large as needed to keep the device busy, whatever the number of elements: each invocation starts at its own
// index and strides by the whole grid.
#extension GL_GOOGLE_include_directive : require
#include "gaussian/density.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) writeonly buffer D { float densities[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint count = launch.count;

    // [start]
    const uint grid = launch.workgroup_count
                    * size;
    uint i = gl_WorkGroupID.x * size
           + gl_LocalInvocationIndex;
    // [/start]

    // If the grid exceeds a quarter of the elements, there are no four rounds, and 4 * grid might overflow 32 bits.
    const uint end = grid <= count / 4 ? count : 0;
    // [four]
    for (; i + 3 * grid < end;
         i += 4 * grid) {
        const float a = xs[i];
        const float b = xs[i + grid];
        const float c = xs[i + 2 * grid];
        const float d = xs[i + 3 * grid];
        densities[i] = density(a);
        densities[i + grid] = density(b);
        densities[i + 2 * grid] = density(c);
        densities[i + 3 * grid] = density(d);
    }
    // [/four]

    // [stride]
    for (; i < count; i += grid)
        densities[i] = density(xs[i]);
    // [/stride]
}
