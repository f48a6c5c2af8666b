#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for workgroup memory: 16 bytes per load, four loads per iteration, without bank conflicts.
#include "common/launch.glsl"

layout(std430, binding = 0) writeonly buffer To { uvec4 to[]; };

const uint quads = 512;
shared uvec4 tile[quads];

void main() {
    for (uint i = gl_LocalInvocationID.x; i < quads; i += gl_WorkGroupSize.x) tile[i] = uvec4(i, i + 1, i + 2, i + 3);
    barrier();
    uvec4 seen = uvec4(0);
    uint i = gl_LocalInvocationID.x;
    for (uint iteration = 0; iteration < launch.count; ++iteration) {
        seen ^= tile[i % quads] ^ tile[(i + 64) % quads] ^ tile[(i + 128) % quads] ^ tile[(i + 192) % quads];
        // Another address each time, so that no load can be moved out of the loop.
        i += 33;
    }
    if (seen == uvec4(0x9E3779B9u, 1, 2, 3)) to[0] = seen;
}
