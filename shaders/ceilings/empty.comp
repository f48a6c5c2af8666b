#version 450
#extension GL_GOOGLE_include_directive : require
// Measures the fixed cost of a dispatch.
#include "common/launch.glsl"

void main() {}
