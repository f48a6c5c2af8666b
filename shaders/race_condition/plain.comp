#version 450

// Every invocation adds 1 to the same counter: it loads the counter, adds 1 and stores the sum. Nothing excludes others
// meanwhile: a deliberate mistake.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/counter.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        counts[launch.run] = counts[launch.run] + 1;
    // [/count]
}
