#version 450
// [build storage16] STORAGE16=1
// [build words] WORDS=1

// The loop of per_sample with a grid that fits the device instead of the samples, so that each invocation processes many of
// them. Therefore it can have four loads in flight at once.
#extension GL_GOOGLE_include_directive : require
#include "zero_suppression/items.glsl"

void main() {
    const uint items = item_count();
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // Below it, i + 3 * grid is an item, too. A grid so large that 3 * grid might overflow 32 bits has nothing to gain.
    const uint fours_end = grid < items / 4 ? items - 3 * grid : 0;

    uint i = gl_GlobalInvocationID.x;
    // [stride]
    for (; i < fours_end; i += 4 * grid) {
        const ITEM a = load(i);
        const ITEM b = load(i + grid);
        const ITEM c = load(i + 2 * grid);
        const ITEM d = load(i + 3 * grid);
        store(i, silence(a));
        store(i + grid, silence(b));
        store(i + 2 * grid, silence(c));
        store(i + 3 * grid, silence(d));
    }
    for (; i < items; i += grid)
        store(i, silence(load(i)));
    // [/stride]
}
