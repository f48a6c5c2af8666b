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

// Workgroups go down bands of 8 tiles, so that those that run together load fewer different tiles of b. On an NVIDIA H200, products of
// 8192 x 8192 took 0.95 of the time.
const uint band_height = 8;
uvec2 place_in_bands() {
    const uint i = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint band = i / (band_height * gl_NumWorkGroups.x), in_band = i % (band_height * gl_NumWorkGroups.x);
    const uint height = min(band_height, gl_NumWorkGroups.y - band_height * band);
    return uvec2(in_band / height, band_height * band + in_band % height);
}
uint first_row() { return tile_rows * place_in_bands().y; }
uint first_column() { return tile_columns * place_in_bands().x; }
const uint invocations = gl_WorkGroupSize.x;
const uint a_octets = tile_k / 8, b_octets = tile_columns / 8;  // of a row
// An invocation brings along one octet of every a_step-th row of a tile, and of every b_step-th row.
const uint a_step = invocations / a_octets, b_step = invocations / b_octets;
const uint a_each = tile_rows / a_step, b_each = tile_k / b_step;
uvec4 next_a[a_each], next_b[b_each];
// Its first octet of each tile, and the index of the next one in memory. An addition leads from tile to tile: on an NVIDIA H200,
// prefetched took 1.45 times as long with indices that were computed anew.
uint own_a_row = gl_LocalInvocationIndex / a_octets, own_a_octet = gl_LocalInvocationIndex % a_octets;
uint own_b_row = gl_LocalInvocationIndex / b_octets, own_b_octet = gl_LocalInvocationIndex % b_octets;
uint from_a = a_at(first_row() + own_a_row, 0) + own_a_octet;
uint from_b = b_at(own_b_row, first_column()) + own_b_octet;

// [copy]
void load_tiles() {
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        next_a[n] = a[from_a + a_at(n * a_step, 0)];
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        next_b[n] = b[from_b + b_at(n * b_step, 0)];
    from_a += a_at(0, tile_k);
    from_b += b_at(tile_k, 0);
}
void store_tiles() {
    const uint to_a = own_a_row * a_pitch + own_a_octet;
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        a_tile[to_a + n * a_step * a_pitch] = next_a[n];
    const uint to_b = own_b_row * b_pitch + own_b_octet;
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        b_tile[to_b + n * b_step * b_pitch] = next_b[n];
}
// [/copy]
