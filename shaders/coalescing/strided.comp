#version 450

// Loads every n-th number, starting at one of them.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint stride; uint offset;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Numbers { float x[]; };
layout(std430, binding = 1) writeonly buffer Taken { float taken[]; };

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    // [take]
    for (uint i = gl_GlobalInvocationID.x;
         i < launch.count; i += everyone) {
        const uint place = launch.offset
            + place_of(i) * launch.stride;
        const float number = x[place];
        taken[i] = number;
    }
    // [/take]
}
