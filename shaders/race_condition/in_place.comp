#version 450

// Each number becomes the mean of itself and its neighbours, in the array in which it stands. Whoever comes later reads what
// others have changed already: a mistake, shown on purpose.
#extension GL_GOOGLE_include_directive : require
#include "race_condition/row.glsl"

void main() {
    for (uint e = me(); e < launch.count; e += everyone()) {
        // [smooth]
        const uint i = place_of(e), last = launch.total - 1;
        const uint left = smooth_numbers[max(i, 1) - 1];
        const uint right = smooth_numbers[min(i + 1, last)];
        smooth_numbers[i] =
            mean_of(left, smooth_numbers[i], right);
        // [/smooth]
    }
}
