#version 450

// Like vec4, with doubles between load and store. The elements stay f32 in memory, so only the arithmetic differs.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS double mean; double inverse_sigma; double peak;
#include "common/launch.glsl"
#include "gaussian/exp64.glsl"

// [density]
float density(float x) {
    const double z =
        (double(x) - launch.mean)
        * launch.inverse_sigma;
    return float(launch.peak
               * exp64(-0.5lf * z * z));
}
// [/density]

vec4 density(vec4 x) { return vec4(density(x.x), density(x.y), density(x.z), density(x.w)); }

#include "gaussian/quads.glsl"

void main() { evaluate_my_quads(); }
