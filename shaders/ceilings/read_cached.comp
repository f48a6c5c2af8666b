#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for loads from the cache: 16 bytes per load, four loads in flight at once, all within `quads` quads at
// the front of the array.
#define PARAMETERS uint quads;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    const uint mask = launch.quads - 1;  // a power of two
    const uint stride = launch.workgroup_count * gl_WorkGroupSize.x;
    uvec4 seen = uvec4(0);
    uint i = gl_GlobalInvocationID.x;
    for (uint iteration = 0; iteration < launch.count; ++iteration) {
        seen ^= from[i & mask] ^ from[(i + stride) & mask] ^ from[(i + 2 * stride) & mask] ^ from[(i + 3 * stride) & mask];
        i += 4 * stride;
    }
    // Rarely true, which the compiler cannot know: without a use of the values it would remove the loads.
    if (seen == uvec4(0x9E3779B9u, 1, 2, 3)) to[0] = seen;
}
