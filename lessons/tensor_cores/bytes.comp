// Factors of signed bytes. The next tiles of a and b, 128 rows and 128 columns, are loaded while
// these are multiplied. Both are stored along k, 16 bytes to an element of the arrays: a quad.
#extension GL_EXT_control_flow_attributes : require
#ifndef HAS_BYTE_MATRICES
#undef HAS_MATRIX_UNITS
#endif
#include "common/cooperative_matrix.glsl"

// Rows in workgroup memory are followed by an unused quad, against bank conflicts.
const uint depth = tile_k / 16, pitch = depth + 1;
shared uvec4 a_tile[128 * pitch], b_tile[128 * pitch];

// An invocation loads a quad of every rows_apart-th row. An addition leads to that of the next tile.
const uint rows_apart = gl_WorkGroupSize.x / depth, each = 128 / rows_apart;
uvec4 next_a[each], next_b[each];
uint own_row = gl_LocalInvocationIndex / depth, own_quad = gl_LocalInvocationIndex % depth;
uint from_a = (128 * gl_WorkGroupID.y + own_row) * quads_in_a_row + own_quad;
uint from_b = (128 * gl_WorkGroupID.x + own_row) * quads_in_a_row + own_quad;

void load_tiles() {
    [[unroll]] for (uint n = 0; n < each; ++n) {
        next_a[n] = a_bytes[from_a + n * rows_apart * quads_in_a_row];
        next_b[n] = b_bytes[from_b + n * rows_apart * quads_in_a_row];
    }
    from_a += depth;
    from_b += depth;
}
void store_tiles() {
    const uint to = own_row * pitch + own_quad;
    [[unroll]] for (uint n = 0; n < each; ++n) {
        a_tile[to + n * rows_apart * pitch] = next_a[n];
        b_tile[to + n * rows_apart * pitch] = next_b[n];
    }
}

void main() {
    // A subgroup computes 64 x 32 results.
    const uint row = 64 * (subgroup() / 4), column = 32 * (subgroup() % 4);
    IntSums sums[8];
    [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] = zero_int_sums;
    load_tiles();
    for (uint p = 0; p < quads_in_a_row; p += depth) {
        barrier();
        store_tiles();
        barrier();
        if (p + depth < quads_in_a_row)
            load_tiles();
        // [multiply]
        [[unroll]] for (uint q = 0; q < depth; q += 2) {
            ByteFragmentA left[4];
            [[unroll]] for (uint i = 0; i < 4; ++i)
                coopMatLoad(left[i], a_tile,
                    (row + 16 * i) * pitch + q,
                    pitch, ROW_MAJOR);
            [[unroll]] for (uint j = 0; j < 2; ++j) {
                ByteFragmentB right;
                coopMatLoad(right, b_tile,
                    (column + 16 * j) * pitch + q,
                    pitch, COLUMN_MAJOR);
                [[unroll]] for (uint i = 0; i < 4; ++i)
                    sums[2 * i + j] = coopMatMulAdd(
                        left[i], right, sums[2 * i + j]);
            }
        }
        // [/multiply]
    }
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const Sums rounded = to_sums(sums[i]);
        coopMatStore(rounded, c,
                     (128 * gl_WorkGroupID.y + row + 16 * (i / 2)) * padded_columns + 128 * gl_WorkGroupID.x + column
                         + 16 * (i % 2),
                     padded_columns, ROW_MAJOR);
    }
}
