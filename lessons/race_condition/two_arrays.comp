// Each number's mean with its neighbours is stored to a second array. Nobody writes where others read.
#include "row.glsl"

void main() {
    for (uint e = global_index(); e < launch.count; e += invocation_count()) {
        // [smooth]
        const uint i = place_of(e);
        const uint own = numbers[i];
        const uint left = numbers[before(i)];
        const uint right = numbers[behind(i)];
        smooth_numbers[i] = mean_of(left, own, right);
        // [/smooth]
    }
}
