#version 450

// One chunk of contiguous elements per invocation, as CPU threads divide an array.
#extension GL_GOOGLE_include_directive : require
#define NUMBER float
#include "grid_stride/pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    const uint each =
        (launch.count + everyone() - 1) / everyone();
    const uint begin = me() * each;
    const uint end = min(begin + each, launch.count);
    for (uint i = begin; i < end; ++i) {
        lengths[i] = length_of(xs[i], ys[i]);
        ++count;
    }
    // [/loop]
    leave_count(count);
}
