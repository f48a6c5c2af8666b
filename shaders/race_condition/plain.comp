#version 450

// Everyone adds 1 to the same counter: reads it, adds 1, writes the sum back. Nothing keeps others out meanwhile: a mistake,
// shown on purpose.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/counter.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        counts[launch.run] = counts[launch.run] + 1;
    // [/count]
}
