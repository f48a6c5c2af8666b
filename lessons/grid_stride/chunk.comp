// One chunk of contiguous elements per invocation, as CPU threads divide an array.
#define NUMBER float
#include "pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    const uint each =
        (launch.count + invocation_count() - 1)
        / invocation_count();
    const uint begin = global_index() * each;
    const uint end = min(begin + each, launch.count);
    for (uint i = begin; i < end; ++i) {
        lengths[i] = length_of(x[i], y[i]);
        ++count;
    }
    // [/loop]
    store_count(count);
}
