#version 450

// The distance of each particle from the mast. All radii are contiguous, then all angles, then members that are not read.
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
