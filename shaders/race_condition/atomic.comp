#version 450

// Load, addition and store are one indivisible operation.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/counter.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        atomicAdd(counts[launch.run], 1);
    // [/count]
}
