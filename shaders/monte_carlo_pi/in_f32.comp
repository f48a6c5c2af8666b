#version 450

// Like philox.comp, with coordinates in f32, from 0 up to but not including 1.
#extension GL_GOOGLE_include_directive : require
#include "common/philox.glsl"
#include "monte_carlo_pi/hits.glsl"

uvec4 two_points(uint pair) { return philox(uvec4(pair, 0, 0, 0), uvec2(launch.seed, 0)); }

// [unit]
// The upper 24 bits, as many as f32 holds.
float unit(uint word) {
    // Times 2^-24.
    return float(word >> 8) * (1.0 / 16777216.0);
}

bool is_hit(uvec2 point) {
    const float x = unit(point.x);
    const float y = unit(point.y);
    return x * x + y * y < 1.0;
}
// [/unit]

#include "monte_carlo_pi/pairs.glsl"
