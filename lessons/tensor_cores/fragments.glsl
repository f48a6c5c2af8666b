// A subgroup computes 64 x 32 results of the workgroup's tile: 4 x 2 fragments. A kernel may define another number of columns.
#include "tiles.glsl"
#ifndef OWN_COLUMNS
#define OWN_COLUMNS 32
#endif

const uint fragments_in_a_row = OWN_COLUMNS / 16, fragment_count = 4 * fragments_in_a_row;
const uint subgroups_in_a_row = tile_columns / OWN_COLUMNS;
uint own_row() { return 64 * (subgroup() / subgroups_in_a_row); }
uint own_column() { return OWN_COLUMNS * (subgroup() % subgroups_in_a_row); }

Sums sums[fragment_count];

// [multiply]
void multiply_tiles() {
    [[unroll]] for (uint q = 0; q < tile_k;
                    q += 16) {
        FragmentA left[4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            coopMatLoad(left[i], a_tile,
                (own_row() + 16 * i) * a_pitch
                    + q / 8,
                a_pitch, ROW_MAJOR);
        [[unroll]] for (uint j = 0;
                j < fragments_in_a_row; ++j) {
            FragmentB right;
            coopMatLoad(right, b_tile, q * b_pitch
                    + (own_column() + 16 * j) / 8,
                b_pitch, ROW_MAJOR);
            [[unroll]] for (uint i = 0; i < 4; ++i)
                sums[i * fragments_in_a_row + j] =
                    coopMatMulAdd(left[i], right,
                        sums[i * fragments_in_a_row
                             + j]);
        }
    }
}
// [/multiply]

void store_sums() {
    [[unroll]] for (uint i = 0; i < fragment_count; ++i)
        coopMatStore(sums[i], c,
                     c_at(first_row() + own_row() + 16 * (i / fragments_in_a_row),
                          first_column() + own_column() + 16 * (i % fragments_in_a_row)),
                     padded_columns, ROW_MAJOR);
}
