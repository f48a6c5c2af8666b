#version 450

// One node of the graph: three times what it holds, its two sources, and its number.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint number;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Left { uint left[]; };
layout(std430, binding = 1) readonly buffer Right { uint right[]; };
layout(std430, binding = 2) buffer Target { uint target[]; };

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        target[i] = 3 * target[i] + left[i] + 5 * right[i] + launch.number;
}
