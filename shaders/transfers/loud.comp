#version 450

// Where pulses plus noise are loud: their positions, in the order in which the invocations happen to run.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float threshold;
#include "transfers/pair.glsl"

layout(std430, binding = 2) buffer Count { uint count; };
layout(std430, binding = 3) writeonly buffer Positions { uint positions[]; };

void main() {
    // [loop]
    for (uint i = global_index(); i < launch.count; i += invocation_count())
        if (pulses[i] + noise[i] >= launch.threshold)
            positions[atomicAdd(count, 1)] = place_of(i);
    // [/loop]
}
