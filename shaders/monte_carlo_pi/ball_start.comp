#version 450

// How many random points of a cube lie in an eighth of a ball? The x, y and z of point i are
// the first three words of philox(uvec4(i, 0, 0, 0), uvec2(launch.seed, 0)). A word represents
// a number from 0 up to 1, and a point is a hit if x*x + y*y + z*z < 1.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS uint seed; uint run;
#include "common/launch.glsl"
#include "common/philox.glsl"

// 0 before the launch. All hits must be added to hits[launch.run].
layout(std430, binding = 0) buffer Hits { uint hits[]; };

void main() {
    // TODO: go over the points of this launch, all e below launch.count. The
    // index i of point e is place_of(e).
}
