#version 450

// How far each particle is from the mast. All radii stand side by side, behind them all angles, then what is not read.
#extension GL_GOOGLE_include_directive : require
#include "coalescing/polar.glsl"

layout(std430, binding = 0) readonly buffer Particles { float x[]; };

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone) {
        // [read]
        const uint p = place_of(i);
        const float radius = x[p];
        const float angle = x[launch.total + p];
        distances[i] = polar_distance(
            radius, angle, mast_radius, mast_angle);
        // [/read]
    }
}
