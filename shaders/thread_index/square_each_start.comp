#version 450

// The square of each element of a picture, launch.width columns and launch.height rows, row-major.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint width; uint height;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

void main() {
    // Your turn: now every invocation squares the very first element.
    const uint i = 0;
    const uint one = x[i];
    results[i] = one * one;
}
