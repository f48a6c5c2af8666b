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
// The octets that an invocation brings along.
const uint a_each = tile_rows * a_octets / invocations, b_each = tile_k * b_octets / invocations;
uvec4 next_a[a_each], next_b[b_each];
uint own_octet(uint n) { return gl_LocalInvocationIndex + n * invocations; }

// [copy]
void load_tiles(uint p) {
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        next_a[n] = a[a_at(
            first_row() + own_octet(n) / a_octets,
            p) + own_octet(n) % a_octets];
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        next_b[n] = b[b_at(
            p + own_octet(n) / b_octets,
            first_column()) + own_octet(n) % b_octets];
}
void store_tiles() {
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        a_tile[own_octet(n) / a_octets * a_pitch
               + own_octet(n) % a_octets] = next_a[n];
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        b_tile[own_octet(n) / b_octets * b_pitch
               + own_octet(n) % b_octets] = next_b[n];
}
// [/copy]
