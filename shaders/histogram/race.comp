#version 450

// Every invocation reads its number's count, adds 1 and writes the sum back. Between its reading and its writing others
// read the same old count, and then all but one of them have counted for nothing. A mistake, shown on purpose.
#extension GL_GOOGLE_include_directive : require
#include "histogram/binning.glsl"

layout(std430, binding = 0) readonly buffer Numbers { float numbers[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    uint outside = 0;
    for (uint start = gl_WorkGroupID.x * size; start < launch.count; start += launch.workgroup_count * size) {
        const uint i = start + lane;
        if (i >= launch.count) continue;
        // [count]
        const uint bin = bin_of(numbers[i]);
        if (bin < launch.bins)
            counts[bin] = counts[bin] + 1;
        else
            ++outside;
        // [/count]
    }
    if (outside > 0) atomicAdd(ignored, outside);  // the race is about the bins
}
