#version 450

// Pulses plus noise. From the second round on, the previous result is halved first.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint rounds;
#include "transfers/pair.glsl"

layout(std430, binding = 2) writeonly buffer Sum { float sum[]; };

void main() {
    // [loop]
    for (uint i = global_index(); i < launch.count; i += invocation_count()) {
        const float more = noise[i];
        float all = pulses[i] + more;
        for (uint round = 1; round < launch.rounds; ++round)
            all = all * 0.5 + more;
        sum[i] = all;
    }
    // [/loop]
}
