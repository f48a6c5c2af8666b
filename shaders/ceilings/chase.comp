#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for latency: one invocation follows a cycle (cycle.comp), so each load waits for the one before. It goes on
// where the launch before it ended, so that a cycle that exceeds the cache is not cached.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Next { uint next[]; };
layout(std430, binding = 1) buffer Last { uint last[]; };

void main() {
    if (gl_GlobalInvocationID.x > 0) return;
    uint i = last[0];
    for (uint load = 0; load < launch.count; ++load) i = next[i];
    last[0] = i;
}
