#version 450

// Every invocation adds 1 atomically to its number's count in global memory: no other addition to that count comes
// between its load and its store. Additions to the same count are serialized; those to different counts need not be.
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
            atomicAdd(counts[bin], 1);
        else
            ++outside;
        // [/count]
    }
    if (outside > 0) atomicAdd(ignored, outside);
}
