#version 450

// Every invocation loads its number's count, adds 1 and stores the sum. Between the load and the store, others load the
// same old count, and then all but one of these additions are lost. A deliberate mistake.
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
    if (outside > 0) atomicAdd(ignored, outside);  // atomic: the race is in the bins only
}
