#version 450

// Two points for each call, and one atomic addition a workgroup. What one point costs is nearly all in the ten rounds: of 90
// operations with whole numbers for two points eight ninths are theirs: four halves of products and four xor each time.
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
