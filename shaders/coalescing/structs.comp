#version 450

// The distance of each particle from the mast. The four numbers of a particle are contiguous, and two of them are read.
#extension GL_GOOGLE_include_directive : require
#include "coalescing/polar.glsl"

// [struct]
struct Particle {
    float radius, angle, mass, charge;
};
// [/struct]
layout(std430, binding = 0) readonly buffer Particles { Particle particles[]; };

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone) {
        // [read]
        const uint p = place_of(i);
        const float radius = particles[p].radius;
        const float angle = particles[p].angle;
        distances[i] = polar_distance(
            radius, angle, mast_radius, mast_angle);
        // [/read]
    }
}
