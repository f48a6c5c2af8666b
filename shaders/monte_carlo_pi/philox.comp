#version 450

// Two points per call, and one atomic addition per workgroup. Nearly all the cost of a point is in the ten rounds: eight ninths of
// the 90 integer operations for two points, namely four halves of products and four xor per round.
#extension GL_GOOGLE_include_directive : require
#include "common/philox.glsl"
#include "monte_carlo_pi/hits.glsl"
#include "monte_carlo_pi/whole_numbers.glsl"

// [points]
uvec4 two_points(uint pair) {
    return philox(uvec4(pair, 0, 0, 0),
                  uvec2(launch.seed, 0));
}
// [/points]

#include "monte_carlo_pi/pairs.glsl"
