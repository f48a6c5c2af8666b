#version 450

// Reading, adding and writing in one piece: nobody comes between.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/counter.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        atomicAdd(counts[launch.run], 1);
    // [/count]
}
