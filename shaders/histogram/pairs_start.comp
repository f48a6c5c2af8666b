#version 450

// Counts pairs of numbers, (0, 1), (2, 3) and so on, in 16 x 16 bins: the first number gives
// the column, the second the row. A pair with a number outside the range is ignored, and
// counted as such.
#extension GL_GOOGLE_include_directive : require
#include "histogram/binning.glsl"

layout(std430, binding = 0) readonly buffer Pairs { vec2 pairs[]; };

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count / 2; i += grid) {
        const uint column = bin_of(pairs[i].x);
        const uint row = bin_of(pairs[i].y);
        // TODO: now every pair goes to memory that all workgroups share.
        if (column < launch.bins && row < launch.bins)
            atomicAdd(counts[row * launch.bins + column], 1);
        else
            atomicAdd(ignored, 1);
    }
}
