#version 450

// Like coherent.comp, and the first two invocations take a ticket at each of their three steps, which shows their order.
#extension GL_GOOGLE_include_directive : require
#define COUNTER coherent volatile
#include "race_condition/counter.glsl"

// All are 2^32 - 1 before the launch, so the first ticket is 0.
layout(std430, binding = 1) buffer Moments { uint latest; uint moments[6]; };

void note_moment(uint step_of_three) {
    if (launch.run == 0 && launch.first == 0 && me() < 2)
        moments[3 * me() + step_of_three] = atomicAdd(latest, 1) + 1;
}

void main() {
    for (uint i = me(); i < launch.count; i += everyone()) {
        // [count]
        const uint seen = counts[launch.run];
        note_moment(0);
        const uint sum = seen + 1;
        note_moment(1);
        counts[launch.run] = sum;
        note_moment(2);
        // [/count]
    }
}
