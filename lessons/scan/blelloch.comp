// Blelloch: a tree of sums upwards, then the sums of all numbers before downwards. The tree has a power of two of leaves; those
// behind the tile are 0.
#include "tiles.glsl"

shared uint partial[2 * gl_WorkGroupSize.x];

void main() {
    const uint i = gl_LocalInvocationIndex;
    const uint width = gl_WorkGroupSize.x > 1 ? 2u << findMSB(gl_WorkGroupSize.x - 1) : 1;
    uint added = 0;
    for (uint tile = gl_WorkGroupID.x; tile < tile_count(); tile += launch.workgroup_count) {
        if (tile >= launch.workgroup_count) barrier();  // before workgroup memory is reused
        const uint number = number_of(tile);
        partial[i] = number;
        if (i + gl_WorkGroupSize.x < width) partial[i + gl_WorkGroupSize.x] = 0;
        barrier();
        // [up]
        for (uint d = 1; d < width; d *= 2) {
            const uint right = (2 * i + 2) * d - 1;
            if (right < width) {
                partial[right] += partial[right - d];
                ++added;
            }
            barrier();
        }
        // [/up]
        if (i == 0) partial[width - 1] = 0;
        barrier();
        // [down]
        for (uint d = width / 2; d > 0; d /= 2) {
            const uint right = (2 * i + 2) * d - 1;
            if (right < width) {
                const uint left = partial[right - d];
                partial[right - d] = partial[right];
                partial[right] += left;
                ++added;
            }
            barrier();
        }
        // [/down]
        if (kind == 0) ++added;
        if (is_in_array(tile)) sums[index_in(tile)] = kind == 0 ? partial[i] + number : partial[i];
    }
    if (counting == 1) additions[gl_WorkGroupID.x * gl_WorkGroupSize.x + i] = added;
}
