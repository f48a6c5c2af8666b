// One chunk of contiguous elements per invocation, as CPU threads divide an array.
#define NUMBER float
#include "pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    const uint each =
        (launch.count + everyone() - 1) / everyone();
    const uint begin = me() * each;
    const uint end = min(begin + each, launch.count);
    for (uint i = begin; i < end; ++i) {
        lengths[i] = length_of(x[i], y[i]);
        ++count;
    }
    // [/loop]
    leave_count(count);
}
