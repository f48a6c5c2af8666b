// The grid-stride loop: each invocation starts at its own index and strides by the number of invocations until no element is
// left. With every grid, each element is processed once.
#define NUMBER float
#include "pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    for (uint i = global_index(); i < launch.count;
         i += invocation_count()) {
        lengths[i] = length_of(x[i], y[i]);
        ++count;
    }
    // [/loop]
    store_count(count);
}
