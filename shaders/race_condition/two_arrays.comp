#version 450

// Each number's mean with its neighbours is stored to a second array. Nobody writes where others read.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/row.glsl"

layout(std430, binding = 1) readonly buffer Numbers { uint numbers[]; };

void main() {
    for (uint e = me(); e < launch.count; e += everyone()) {
        // [smooth]
        const uint i = place_of(e);
        const uint own = numbers[i];
        const uint left = numbers[before(i)];
        const uint right = numbers[behind(i)];
        smooth_numbers[i] = mean_of(left, own, right);
        // [/smooth]
    }
}
