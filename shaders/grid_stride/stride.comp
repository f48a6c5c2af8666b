#version 450

// The grid-stride loop: each invocation starts at its own index and strides by the number of invocations until no element is
// left. With every grid, each element is processed once.
#extension GL_GOOGLE_include_directive : require
#define NUMBER float
#include "grid_stride/pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    for (uint i = me(); i < launch.count;
         i += everyone()) {
        lengths[i] = length_of(xs[i], ys[i]);
        ++count;
    }
    // [/loop]
    leave_count(count);
}
