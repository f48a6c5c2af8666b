#version 450

// The second kernel of the chain: makes negative numbers positive, in place.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) buffer Sum { float sum[]; };

void main() {
    // [loop]
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone)
        sum[i] = abs(sum[i]);
    // [/loop]
}
