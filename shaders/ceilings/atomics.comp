#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for atomic additions, to one address (mask 0) or to mask + 1 addresses of a buffer. The compiler cannot
// know that the address is the same for all lanes, so it does not add up their numbers first.
#define PARAMETERS uint mask;
#include "common/launch.glsl"

layout(std430, binding = 0) buffer Counts { uint counts[]; };

void main() {
    // Neighbouring invocations add to addresses that are far apart.
    uint at = gl_GlobalInvocationID.x * 2654435769u;
    for (uint iteration = 0; iteration < launch.count; ++iteration) {
        atomicAdd(counts[(at >> 8) & launch.mask], 1);
        at += 2891336453u;
    }
}
