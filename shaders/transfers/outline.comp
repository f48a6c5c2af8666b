#version 450

// The highest of each 64 samples of pulses plus noise: what a picture of the whole needs.
#extension GL_GOOGLE_include_directive : require
#include "transfers/outline.glsl"

void main() {
    for (uint group = me(); group * samples < launch.count; group += everyone()) {
        const uint first = group * samples;
        const uint end = min(first + samples, launch.count);
        float most = pulses[first] + noise[first];
        for (uint i = first + 1; i < end; ++i)
            most = max(most, pulses[i] + noise[i]);
        leave_highest(group, most);
    }
}
