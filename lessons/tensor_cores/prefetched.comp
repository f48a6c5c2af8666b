// The next tiles are loaded while these are multiplied.
#extension GL_EXT_control_flow_attributes : require
#include "fragments.glsl"

void main() {
    [[unroll]] for (uint i = 0; i < fragment_count; ++i) sums[i] = zero_sums;
    // [loop]
    load_tiles();
    for (uint p = 0; p < padded_k; p += tile_k) {
        barrier();
        store_tiles();
        barrier();
        if (p + tile_k < padded_k)
            load_tiles();
        multiply_tiles();
    }
    // [/loop]
    store_sums();
}
