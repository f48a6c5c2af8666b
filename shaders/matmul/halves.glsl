// The product of two matrices of f16: the matrix units of subgroups multiply fragments of 16 x 16, and add up in f32
// (common/cooperative_matrix.glsl, also for devices without such units). A workgroup computes 128 x 128 numbers of
// c, a subgroup 64 x 64 of them. The next tiles are loaded into registers while these are multiplied.
//
// coopMatLoad must not reach past an array, so tiles go through workgroup memory, where numbers past the edges are 0. Its rows are
// followed by an unused octet (eight f16, 16 bytes), against bank conflicts.
#extension GL_EXT_control_flow_attributes : require
#define PARAMETERS uint k; uint a_pitch; uint b_pitch;
#include "common/launch.glsl"
#include "common/cooperative_matrix.glsl"

// Bound as multiples of 16 bytes.
layout(std430, binding = 0) readonly buffer A { uvec4 a[]; };
layout(std430, binding = 1) readonly buffer B { uvec4 b[]; };

layout(constant_id = 3) const uint a_along_k = 1;    // 1: in memory, neighbours of a are along k; 0: along its rows
layout(constant_id = 4) const uint b_along_k = 0;    // the same of b; 0: along its columns
layout(constant_id = 5) const uint a_in_octets = 0;  // 1: each line of memory consists of whole octets
layout(constant_id = 6) const uint b_in_octets = 0;
layout(constant_id = 7) const uint c_in_quads = 0;
#include "matmul/results.glsl"

const uint tile_rows = 128, tile_columns = 128, tile_k = 32;
const uint invocations = gl_WorkGroupSize.x;
const uint subgroups = 4, lanes = invocations / subgroups;
// Octets of a row of a tile, and from one row to the next.
const uint a_octets = tile_k / 8, a_step = a_octets + 1;
const uint b_octets = tile_columns / 8, b_step = b_octets + 1;
shared uvec4 a_tile[tile_rows * a_step];
shared uvec4 b_tile[tile_k * b_step];
shared float fragments[subgroups * 256];  // one of each subgroup, on its way to memory

// The first row, of this dispatch, and column of the current tile; and of this subgroup in it.
uint tile_row, tile_column;
uint own_row() { return subgroup() / 2 * 64; }
uint own_column() { return subgroup() % 2 * 64; }

// The octets that an invocation loads.
const uint a_each = tile_rows * a_octets / invocations, b_each = tile_k * b_octets / invocations;
uvec4 next_a[a_each], next_b[b_each];
// Row and octet of the n-th one of this invocation. Neighbours load neighbours in memory.
uvec2 place_in_tile(uint n, uint rows, uint octets, bool by_rows) {
    const uint own = gl_LocalInvocationIndex, i = own + n * invocations;
    return by_rows ? uvec2(own / octets + n * (invocations / octets), own % octets) : uvec2(i % rows, i / rows);
}
uvec2 place_of_a(uint n) { return place_in_tile(n, tile_rows, a_octets, a_along_k == 1); }
uvec2 place_of_b(uint n) { return place_in_tile(n, tile_k, b_octets, b_along_k == 0); }

uint half_of(uvec4 octet, uint i) { return octet[i / 2] >> 16 * (i % 2) & 0xFFFFu; }

// Row `row` of a in the whole launch, k from p on.
uvec4 octet_of_a(uint row, uint p) {
    if (row >= launch.total || p >= launch.k) return uvec4(0);
    if (a_in_octets == 1 && a_along_k == 1) return a[(row * launch.a_pitch + p) / 8];
    uvec4 octet = uvec4(0);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint at = a_along_k == 1 ? row * launch.a_pitch + p + i : (p + i) * launch.a_pitch + row;
        if (p + i < launch.k) octet[i / 2] |= half_of(a[at / 8], at % 8) << 16 * (i % 2);
    }
    return octet;
}
// Row p of b, from a column on.
uvec4 octet_of_b(uint p, uint column) {
    if (p >= launch.k || column >= launch.columns) return uvec4(0);
    if (b_in_octets == 1 && b_along_k == 0) return b[(p * launch.b_pitch + column) / 8];
    uvec4 octet = uvec4(0);
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        const uint at = b_along_k == 0 ? p * launch.b_pitch + column + i : (column + i) * launch.b_pitch + p;
        if (column + i < launch.columns) octet[i / 2] |= half_of(b[at / 8], at % 8) << 16 * (i % 2);
    }
    return octet;
}

// An octet of a whole tile needs only an addition for its index. Products of 4096 took 0.96 of the time with it, on an NVIDIA H200.
void load_tiles(uint p) {
    const bool is_deep = p + tile_k <= launch.k;
    if (a_in_octets == 1 && a_along_k == 1 && is_deep && tile_row + tile_rows <= launch.count) {
        const uint pitch = launch.a_pitch / 8, first = place_of(tile_row + place_of_a(0).x) * pitch + p / 8 + place_of_a(0).y;
        [[unroll]] for (uint n = 0; n < a_each; ++n) next_a[n] = a[first + n * (invocations / a_octets) * pitch];
    } else
        [[unroll]] for (uint n = 0; n < a_each; ++n) {
            const uvec2 at = place_of_a(n);
            next_a[n] = octet_of_a(place_of(tile_row + at.x), p + 8 * at.y);
        }
    if (b_in_octets == 1 && b_along_k == 0 && is_deep && tile_column + tile_columns <= launch.columns) {
        const uint pitch = launch.b_pitch / 8, first = (p + place_of_b(0).x) * pitch + tile_column / 8 + place_of_b(0).y;
        [[unroll]] for (uint n = 0; n < b_each; ++n) next_b[n] = b[first + n * (invocations / b_octets) * pitch];
    } else
        [[unroll]] for (uint n = 0; n < b_each; ++n) {
            const uvec2 at = place_of_b(n);
            next_b[n] = octet_of_b(p + at.x, tile_column + 8 * at.y);
        }
}
void store_tiles() {
    [[unroll]] for (uint n = 0; n < a_each; ++n) a_tile[place_of_a(n).x * a_step + place_of_a(n).y] = next_a[n];
    [[unroll]] for (uint n = 0; n < b_each; ++n) b_tile[place_of_b(n).x * b_step + place_of_b(n).y] = next_b[n];
}

// 4 x 4 fragments of results.
Sums sums[16];

void multiply_tiles() {
    [[unroll]] for (uint q = 0; q < tile_k; q += 16) {
        FragmentA left[4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            coopMatLoad(left[i], a_tile, (own_row() + 16 * i) * a_step + q / 8, a_step, ROW_MAJOR);
        [[unroll]] for (uint j = 0; j < 4; ++j) {
            FragmentB right;
            coopMatLoad(right, b_tile, q * b_step + (own_column() + 16 * j) / 8, b_step, ROW_MAJOR);
            [[unroll]] for (uint i = 0; i < 4; ++i) sums[4 * i + j] = coopMatMulAdd(left[i], right, sums[4 * i + j]);
        }
    }
}

void store_sums() {
    const uint lane = gl_LocalInvocationIndex % lanes, begin = subgroup() * 256;
    [[unroll]] for (uint i = 0; i < 16; ++i) {
        coopMatStore(sums[i], fragments, begin, 16, ROW_MAJOR);
        barrier();
        for (uint q = lane; q < 64; q += lanes) {
            const uint at = begin + 4 * q;
            store_four(tile_row + own_row() + i / 4 * 16 + q / 4, tile_column + own_column() + i % 4 * 16 + q % 4 * 4,
                       vec4(fragments[at], fragments[at + 1], fragments[at + 2], fragments[at + 3]));
        }
        barrier();
    }
}

void main() {
    for (tile_row = gl_WorkGroupID.y * tile_rows; tile_row < launch.count; tile_row += launch.workgroup_count * tile_rows)
        for (tile_column = gl_WorkGroupID.x * tile_columns; tile_column < launch.columns;
             tile_column += launch.grid_x * tile_columns) {
            [[unroll]] for (uint i = 0; i < 16; ++i) sums[i] = zero_sums;
            load_tiles(0);
            for (uint p = 0; p < launch.k; p += tile_k) {
                store_tiles();
                barrier();
                if (p + tile_k < launch.k) load_tiles(p + tile_k);
                multiply_tiles();
                barrier();
            }
            store_sums();
        }
}
