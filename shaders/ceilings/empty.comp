#version 450
#extension GL_GOOGLE_include_directive : require
// What a dispatch costs before it does anything.
#include "common/launch.glsl"

void main() {}
