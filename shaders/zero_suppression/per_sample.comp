#version 450
// [build storage16] STORAGE16=1
// [build words] WORDS=1

// One invocation per sample. If the grid is smaller than the number of samples (devices limit it), the whole grid covers
// them in several passes.
#extension GL_GOOGLE_include_directive : require
#include "zero_suppression/items.glsl"

void main() {
    const uint items = item_count();
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // [sample]
    uint i = gl_GlobalInvocationID.x;
    for (; i < items; i += grid)
        store(i, silence(load(i)));
    // [/sample]
}
