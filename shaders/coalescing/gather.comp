#version 450

// Each invocation loads a number from a pseudorandom place, which is the same in every run.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint reach;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Numbers { float x[]; };
layout(std430, binding = 1) writeonly buffer Gathered { float gathered[]; };

// The hash "pcg" of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering", Journal of Computer Graphics Techniques 9
// (3), 2020.
uint hash(uint i) {
    const uint state = i * 747796405u + 2891336453u;
    const uint word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    // [gather]
    for (uint i = gl_GlobalInvocationID.x;
         i < launch.count; i += everyone) {
        const uint place =
            hash(place_of(i)) % launch.reach;
        const float number = x[place];
        gathered[i] = number;
    }
    // [/gather]
}
