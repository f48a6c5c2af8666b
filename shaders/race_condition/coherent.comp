#version 450

// Like plain.comp, with a counter that is loaded from and stored to memory each time: others can see each store. That does
// not prevent the race.
#extension GL_GOOGLE_include_directive : require
#define COUNTER coherent volatile
#include "race_condition/counter.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        counts[launch.run] = counts[launch.run] + 1;
    // [/count]
}
