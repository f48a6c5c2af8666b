#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for bandwidth: a plain copy with 16 bytes per load and store, four of them in flight at once.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    const uint stride = launch.workgroup_count * gl_WorkGroupSize.x;
    uint i = gl_GlobalInvocationID.x;
    for (; i + 3 * stride < launch.count; i += 4 * stride) {
        const uvec4 a = from[i];
        const uvec4 b = from[i + stride];
        const uvec4 c = from[i + 2 * stride];
        const uvec4 d = from[i + 3 * stride];
        to[i] = a;
        to[i + stride] = b;
        to[i + 2 * stride] = c;
        to[i + 3 * stride] = d;
    }
    for (; i < launch.count; i += stride) to[i] = from[i];
}
