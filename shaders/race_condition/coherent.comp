#version 450

// As plain.comp, with a counter that is read from and written to memory each time: what one writes, others can see. That does
// not keep them out.
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
