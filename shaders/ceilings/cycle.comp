#version 450
#extension GL_GOOGLE_include_directive : require
// Writes a cycle through launch.count cache lines, a power of two, in an order that no prefetcher follows: a linear
// congruential generator of full period (Hull and Dobell 1962: an odd increment, a factor that is 1 modulo 4).
#include "common/launch.glsl"

layout(std430, binding = 0) writeonly buffer Next { uint next[]; };

const uint words_per_line = 32;

void main() {
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * gl_WorkGroupSize.x)
        next[i * words_per_line] = ((i * 1664525u + 1013904223u) & (launch.count - 1)) * words_per_line;
}
