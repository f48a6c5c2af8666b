// Tiles in workgroup memory: each octet is loaded once for a workgroup, and read by several subgroups.
#extension GL_EXT_control_flow_attributes : require
#include "fragments.glsl"

void main() {
    [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] = zero_sums;
    // [loop]
    for (uint p = 0; p < padded_k; p += tile_k) {
        load_tiles();
        barrier();
        store_tiles();
        barrier();
        multiply_tiles();
    }
    // [/loop]
    store_sums();
}
