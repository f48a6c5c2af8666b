#extension GL_EXT_control_flow_attributes : require
// Rows of the tiles in workgroup memory are followed by so many unused f16. Eight of them are
// 16 bytes.
// Your turn: without any, rows begin on the same banks.
const uint padding = 0;
#include "fragments.glsl"

void main() {
    [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] = zero_sums;
    for (uint p = 0; p < padded_k; p += tile_k) {
        load_tiles();
        barrier();
        store_tiles();
        barrier();
        multiply_tiles();
    }
    store_sums();
}
