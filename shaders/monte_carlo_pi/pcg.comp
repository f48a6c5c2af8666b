#version 450

// Like philox.comp, with a cheaper hash: pcg2d of M. Jarzynski and M. Olano, "Hash functions for GPU rendering",
// Journal of Computer Graphics Techniques 9(3), 2020. Good enough for many pictures and many sums; it fails tests of
// randomness that Philox passes.
#extension GL_GOOGLE_include_directive : require
#include "monte_carlo_pi/hits.glsl"
#include "monte_carlo_pi/whole_numbers.glsl"

// [hash]
uvec2 pcg2d(uvec2 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v ^= v >> 16;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    return v ^ (v >> 16);
}

uvec4 two_points(uint pair) {
    return uvec4(
        pcg2d(uvec2(2 * pair, launch.seed)),
        pcg2d(uvec2(2 * pair + 1, launch.seed)));
}
// [/hash]

#include "monte_carlo_pi/pairs.glsl"
