// The grid-stride loop: each invocation starts at its own index and strides by the number of invocations until no element is
// left. With every grid, each element is processed once.
#define NUMBER float
#include "pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    for (uint i = me(); i < launch.count;
         i += everyone()) {
        lengths[i] = length_of(x[i], y[i]);
        ++count;
    }
    // [/loop]
    leave_count(count);
}
