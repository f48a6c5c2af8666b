#version 450

// One invocation per element. If the grid is smaller than that (devices limit its size), the workgroups cover the elements
// in several passes.
#extension GL_GOOGLE_include_directive : require
#include "gaussian/density.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) writeonly buffer D { float densities[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;

    // [evaluate]
    uint i = gl_WorkGroupID.x * size
           + gl_LocalInvocationIndex;
    for (; i < launch.count; i += grid)
        densities[i] = density(xs[i]);
    // [/evaluate]
}
