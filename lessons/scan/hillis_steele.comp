// Hillis and Steele: in each step, each number adds the sum that is d places to its left. d doubles from step to step. A
// workgroup scans a tile of as many numbers as it has invocations.
#include "tiles.glsl"

shared uint partial[2 * gl_WorkGroupSize.x];  // what a step reads, and what it writes

void main() {
    const uint width = gl_WorkGroupSize.x, i = gl_LocalInvocationIndex;
    uint added = 0;
    for (uint tile = gl_WorkGroupID.x; tile < tile_count(); tile += launch.workgroup_count) {
        if (tile >= launch.workgroup_count) barrier();  // before workgroup memory is reused
        partial[i] = number_of(tile);
        barrier();
        uint from = 0, to = width;
        // [scan]
        for (uint d = 1; d < width; d *= 2) {
            uint sum = partial[from + i];
            if (i >= d) {
                sum += partial[from + i - d];
                ++added;
            }
            partial[to + i] = sum;
            barrier();
            // The next step reads what this wrote.
            from = width - from;
            to = width - to;
        }
        // [/scan]
        const uint before = i > 0 ? partial[from + i - 1] : 0;
        if (is_in_array(tile)) sums[index_in(tile)] = kind == 0 ? partial[from + i] : before;
    }
    if (counting == 1) additions[gl_WorkGroupID.x * gl_WorkGroupSize.x + i] = added;
}
