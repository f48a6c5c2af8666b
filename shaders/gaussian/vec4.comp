#version 450

// Four elements to a load and a store, four of these on their way at once, in f32.
#extension GL_GOOGLE_include_directive : require
#include "gaussian/density.glsl"
#include "gaussian/quads.glsl"

void main() { evaluate_my_quads(); }
