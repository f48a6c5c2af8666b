#version 450

// Like philox.comp, with a generator that is unsuitable: that of a home computer of 1981, seeded for each point with the
// point's index. It has only 65 537 states, and y is 75 times x.
#extension GL_GOOGLE_include_directive : require
#include "monte_carlo_pi/hits.glsl"
#include "monte_carlo_pi/whole_numbers.glsl"

// [draw]
uint next(uint state) {
    return (75 * state + 74) % 65537;
}

uvec2 point(uint number) {
    const uint state =
        (launch.seed + number) % 65537;
    const uint x = next(state), y = next(x);
    return uvec2(x, y) * 65535;  // up to 2^32
}
// [/draw]

uvec4 two_points(uint pair) { return uvec4(point(2 * pair), point(2 * pair + 1)); }

#include "monte_carlo_pi/pairs.glsl"
