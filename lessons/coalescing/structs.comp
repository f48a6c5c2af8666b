#version 450

// The distance of each particle from the mast. The four numbers of a particle are contiguous, and two of them are read.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
#include "polar.glsl"

// [struct]
struct Particle {
    float radius, angle, mass, charge;
};
// [/struct]
layout(std430, binding = 0) readonly buffer Particles { Particle x[]; };
layout(std430, binding = 1) writeonly buffer Distances { float distances[]; };

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [read]
        const uint p = place_of(i);
        const float radius = x[p].radius;
        const float angle = x[p].angle;
        distances[i] = polar_distance(
            radius, angle, mast_radius, mast_angle);
        // [/read]
    }
}
