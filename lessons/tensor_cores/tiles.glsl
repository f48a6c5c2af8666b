// A workgroup computes 128 rows and tile_columns columns of c. It loads a tile of a and a tile of b, tile_k deep, into workgroup
// memory, octet by octet. Rows there are followed by `padding` unused f16.
#include "common/cooperative_matrix.glsl"
#include "padded.glsl"

// [tiles]
const uint tile_rows = 128;
// Octets from one row to the next.
const uint a_pitch = (tile_k + padding) / 8;
const uint b_pitch = (tile_columns + padding) / 8;
shared uvec4 a_tile[tile_rows * a_pitch];
shared uvec4 b_tile[tile_k * b_pitch];
// [/tiles]

uint first_row() { return tile_rows * gl_WorkGroupID.y; }
uint first_column() { return tile_columns * gl_WorkGroupID.x; }
const uint invocations = gl_WorkGroupSize.x;
const uint a_octets = tile_k / 8, b_octets = tile_columns / 8;  // of a row
// An invocation brings along one octet of every a_step-th row of a tile, and of every b_step-th row. The index in memory of the next
// one is the last plus a number that all invocations share: that saves most of the arithmetic with indices.
const uint a_step = invocations / a_octets, b_step = invocations / b_octets;
const uint a_each = tile_rows / a_step, b_each = tile_k / b_step;
uvec4 next_a[a_each], next_b[b_each];
uvec2 own_place(uint octets) { return uvec2(gl_LocalInvocationIndex % octets, gl_LocalInvocationIndex / octets); }

// [copy]
void load_tiles(uint p) {
    const uvec2 own_a = own_place(a_octets);
    const uint first_a =
        a_at(first_row() + own_a.y, p) + own_a.x;
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        next_a[n] = a[first_a + a_at(n * a_step, 0)];
    const uvec2 own_b = own_place(b_octets);
    const uint first_b =
        b_at(p + own_b.y, first_column()) + own_b.x;
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        next_b[n] = b[first_b + b_at(n * b_step, 0)];
}
void store_tiles() {
    const uvec2 own_a = own_place(a_octets);
    const uint to_a = own_a.y * a_pitch + own_a.x;
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        a_tile[to_a + n * a_step * a_pitch] = next_a[n];
    const uvec2 own_b = own_place(b_octets);
    const uint to_b = own_b.y * b_pitch + own_b.x;
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        b_tile[to_b + n * b_step * b_pitch] = next_b[n];
}
// [/copy]
