#extension GL_EXT_control_flow_attributes : require
// fragments.glsl has the tiles, and sums[8]: sums[i] is the fragment of the rows 16 (i / 2) on
// and the columns 16 (i % 2) on, counted from first_row() + own_row() and first_column() +
// own_column().
#include "fragments.glsl"

void main() {
    // Your turn: c = max(a * b + bias, 0). A column has one number of bias[] for all its rows.
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
