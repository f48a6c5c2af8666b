#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for reads: 16 bytes per load, four loads in flight at once, and almost no writes.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    const uint stride = launch.workgroup_count * gl_WorkGroupSize.x;
    uvec4 seen = uvec4(0);
    uint i = gl_GlobalInvocationID.x;
    for (; i + 3 * stride < launch.count; i += 4 * stride)
        seen ^= from[i] ^ from[i + stride] ^ from[i + 2 * stride] ^ from[i + 3 * stride];
    for (; i < launch.count; i += stride) seen ^= from[i];
    // Rarely true, which the compiler cannot know: without a use of the values it would remove the loads.
    if (seen == uvec4(0x9E3779B9u, 1, 2, 3)) to[0] = seen;
}
