#version 450

// Four elements per load and store, four of these in flight at once, in f32.
#extension GL_GOOGLE_include_directive : require
#include "gaussian/density.glsl"
#include "gaussian/quads.glsl"

void main() { evaluate_my_quads(); }
