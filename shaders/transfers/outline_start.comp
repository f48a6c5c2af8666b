#version 450

// The highest of each 64 samples of pulses plus noise.
#extension GL_GOOGLE_include_directive : require
#include "transfers/outline.glsl"

void main() {
    // Your turn: so far each invocation looks at the first of its 64 samples alone.
    const uint group = me();
    const uint first = group * samples;
    if (first < launch.count)
        leave_highest(group, pulses[first] + noise[first]);
}
