// Each number becomes the mean of itself and its neighbours, in the same array. Later invocations read numbers that
// others have already changed: a deliberate mistake.
#include "row.glsl"

void main() {
    for (uint e = global_index(); e < launch.count; e += invocation_count()) {
        // [smooth]
        const uint i = place_of(e);
        const uint own = smooth_numbers[i];
        const uint left = smooth_numbers[before(i)];
        const uint right = smooth_numbers[behind(i)];
        smooth_numbers[i] = mean_of(left, own, right);
        // [/smooth]
    }
}
