#version 450

// Each number's mean with its neighbours goes to a second array. Nobody writes where another reads.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/row.glsl"

void main() {
    for (uint e = me(); e < launch.count; e += everyone()) {
        // [smooth]
        const uint i = place_of(e), last = launch.total - 1;
        const uint left = numbers[max(i, 1) - 1];
        const uint right = numbers[min(i + 1, last)];
        smooth_numbers[i] = mean_of(left, numbers[i], right);
        // [/smooth]
    }
}
