#version 450

// The length of each pair, sqrt(x * x + y * y). Some numbers are so large that x * x overflows f32, some so small that it
// underflows to 0, and some are 0.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) readonly buffer Y { float ys[]; };
layout(std430, binding = 2) writeonly buffer Lengths { float lengths[]; };

void main() {
    // Your turn: now each invocation takes at most one element, and its squares leave the range of f32.
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) {
        const float x = xs[i], y = ys[i];
        lengths[i] = sqrt(x * x + y * y);
    }
}
