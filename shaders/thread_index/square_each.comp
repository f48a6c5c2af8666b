#version 450

// The square of each element of a picture: x is the column, y the row. An invocation without an element returns.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint width; uint height;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

void main() {
    const uint column = gl_GlobalInvocationID.x;
    const uint row = place_of(gl_GlobalInvocationID.y);
    if (column < launch.width && row < launch.height) {
        const uint i = row * launch.width + column;
        const uint one = x[i];
        results[i] = one * one;
    }
}
