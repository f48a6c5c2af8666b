#version 450

// The length of each pair, for every grid and numbers of any magnitude: the larger number is factored out of the root, so
// that the squares are at most 1.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) readonly buffer Y { float ys[]; };
layout(std430, binding = 2) writeonly buffer Lengths { float lengths[]; };

float length_of(float x, float y) {
    const float large = max(abs(x), abs(y));
    if (large == 0.0) return 0.0;
    const float ratio = min(abs(x), abs(y)) / large;
    return large * sqrt(1.0 + ratio * ratio);
}

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone)
        lengths[i] = length_of(xs[i], ys[i]);
}
