// A subgroup computes 64 x 32 results of the workgroup's tile: 4 x 2 fragments.
#include "tiles.glsl"

const uint subgroups_in_a_row = tile_columns / 32;
uint own_row() { return 64 * (subgroup() / subgroups_in_a_row); }
uint own_column() { return 32 * (subgroup() % subgroups_in_a_row); }

Sums sums[8];

// [multiply]
void multiply_tiles() {
    [[unroll]] for (uint q = 0; q < tile_k; q += 16) {
        FragmentA left[4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            coopMatLoad(left[i], a_tile,
                (own_row() + 16 * i) * a_pitch + q / 8,
                a_pitch, ROW_MAJOR);
        [[unroll]] for (uint j = 0; j < 2; ++j) {
            FragmentB right;
            coopMatLoad(right, b_tile,
                q * b_pitch + (own_column() + 16 * j) / 8,
                b_pitch, ROW_MAJOR);
            [[unroll]] for (uint i = 0; i < 4; ++i)
                sums[2 * i + j] = coopMatMulAdd(
                    left[i], right, sums[2 * i + j]);
        }
    }
}
// [/multiply]

void store_sums() {
    [[unroll]] for (uint i = 0; i < 8; ++i)
        coopMatStore(sums[i], c, c_at(first_row() + own_row() + 16 * (i / 2), first_column() + own_column() + 16 * (i % 2)),
                     padded_columns(), ROW_MAJOR);
}
