#extension GL_EXT_control_flow_attributes : require
#include "fragments.glsl"

void main() {
    // Rows that are 0 apart: each row of the fragment is the same part of bias.
    [[unroll]] for (uint i = 0; i < 8; ++i)
        coopMatLoad(sums[i], bias, first_column() + own_column() + 16 * (i % 2), 0, ROW_MAJOR);
    for (uint p = 0; p < padded_k; p += tile_k) {
        load_tiles();
        barrier();
        store_tiles();
        barrier();
        multiply_tiles();
    }
    // The same for all elements, so it does not matter which of them this lane holds.
    [[unroll]] for (uint i = 0; i < 8; ++i)
        for (int e = 0; e < sums[i].length(); ++e) sums[i][e] = max(sums[i][e], 0.0);
    store_sums();
}
