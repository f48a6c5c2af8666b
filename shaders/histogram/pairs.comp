#version 450

// Counts pairs of numbers in 16 x 16 bins: each workgroup counts in its own bins, and adds them up at the end.
#extension GL_GOOGLE_include_directive : require
#include "histogram/binning.glsl"

layout(std430, binding = 0) readonly buffer Pairs { vec2 pairs[]; };

const uint cells = 16 * 16;
shared uint own[cells];
shared uint own_outside;

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    for (uint cell = lane; cell < cells; cell += size)
        own[cell] = 0;
    if (lane == 0) own_outside = 0;
    barrier();

    const uint grid = launch.workgroup_count * size;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count / 2; i += grid) {
        const vec2 pair = pairs[i];
        const uint column = bin_of(pair.x), row = bin_of(pair.y);
        if (column < launch.bins && row < launch.bins)
            atomicAdd(own[row * launch.bins + column], 1);
        else
            atomicAdd(own_outside, 1);
    }
    barrier();

    for (uint cell = lane; cell < cells; cell += size)
        if (own[cell] > 0) atomicAdd(counts[cell], own[cell]);
    if (lane == 0 && own_outside > 0) atomicAdd(ignored, own_outside);
}
