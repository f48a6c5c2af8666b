#version 450

// How many random points of a cube lie in an eighth of a ball? Point i has for x, y and z
// the first three words of philox(uvec4(i, 0, 0, 0), uvec2(launch.seed, 0)). A word stands
// for a number from 0 up to 1, and a hit is where x*x + y*y + z*z < 1.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS uint seed; uint run;
#include "common/launch.glsl"
#include "common/philox.glsl"

// Begins at 0. The hits of all belong into hits[launch.run].
layout(std430, binding = 0) buffer Hits { uint hits[]; };

void main() {
    // Your turn: go over the points of this launch, all e below launch.count. The
    // number i of point e is place_of(e).
}
