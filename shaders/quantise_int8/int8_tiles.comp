#version 450
// [build instruction] BY_INSTRUCTION=1
// [build shifts] BY_SHIFTS=1
// [build matrix_units] HAS_MATRIX_UNITS=1 HAS_BYTE_MATRICES=1

// The product of bytes with many vectors: a workgroup computes a tile of results, of rows_at_once rows and as many vectors, from tiles of
// 128 columns in workgroup memory. The next tiles are loaded into registers while these are multiplied. Bindings and results are those of
// int8.comp, bit for bit: the sums are integers and exact.
//
// Without matrix units, each of 16 x 16 invocations computes every 16th row and vector of the tile. With them, each of eight
// subgroups computes 64 vectors and 32 rows of a tile of 128 x 128.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef BY_INSTRUCTION
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "common/launch.glsl"
#include "quantise_int8/bytes.glsl"
#include "common/dot_of_four.glsl"
#ifdef HAS_MATRIX_UNITS
#include "common/cooperative_matrix.glsl"
#endif

// The same buffers as in bytes.glsl and int8.comp, in quads: four words, 16 bytes of a row. Bound as multiples of 16 bytes.
layout(std430, binding = 0) readonly buffer RowQuads { uvec4 rows[]; };
layout(std430, binding = 3) readonly buffer VectorQuads { uvec4 x[]; };
layout(std430, binding = 4) readonly buffer VectorSteps { float x_steps[]; };
layout(std430, binding = 5) writeonly buffer Results { float y[]; };

layout(constant_id = 3) const uint rows_at_once = 128;
layout(constant_id = 5) const uint vectors = 128;  // of a tile
layout(constant_id = 6) const uint all_vectors = 1;

// Rows in workgroup memory are followed by an unused quad, against bank conflicts.
const uint depth = 8, pitch = depth + 1;  // in quads
shared uvec4 row_tile[rows_at_once * pitch], vector_tile[vectors * pitch];

// The first row, of this dispatch, and the first vector of the current tile.
uint tile_row, tile_vector;
const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
// An invocation loads a quad of every row_step-th row of a tile.
const uint row_step = invocations / depth, each_of_rows = rows_at_once / row_step, each_of_vectors = vectors / row_step;
uint own_row() { return gl_LocalInvocationIndex / depth; }
uint own_quad() { return gl_LocalInvocationIndex % depth; }
uvec4 next_rows[each_of_rows], next_vectors[each_of_vectors];

// For tiles at an edge: words past the end of a row are 0.
#define DEFINE_LOAD(load, array)                                                   \
    uvec4 load(uint row, uint quad) {                                              \
        const uint count = words_per_row(), at = row * count + 4 * quad;           \
        uvec4 four = uvec4(0);                                                     \
        [[unroll]] for (uint n = 0; n < 4; ++n)                                    \
            if (4 * quad + n < count) four[n] = array[(at + n) / 4][(at + n) % 4]; \
        return four;                                                               \
    }
DEFINE_LOAD(load_row, rows)
DEFINE_LOAD(load_vector, x)

// A quad of a whole tile needs only an addition for its index. Products of 4096 took 0.76 of the time with it, on an NVIDIA H200.
bool is_whole(uint quad) {
    return words_per_row() % 4 == 0 && 4 * (quad + depth) <= words_per_row() && tile_row + rows_at_once <= launch.count
        && tile_vector + vectors <= all_vectors;
}
void load_tiles(uint quad) {
    if (is_whole(quad)) {
        const uint quads_per_row = words_per_row() / 4, own = quad + own_quad();
        const uint at_row = place_of(tile_row + own_row()) * quads_per_row + own;
        [[unroll]] for (uint n = 0; n < each_of_rows; ++n) next_rows[n] = rows[at_row + n * row_step * quads_per_row];
        const uint at_vector = (tile_vector + own_row()) * quads_per_row + own;
        [[unroll]] for (uint n = 0; n < each_of_vectors; ++n) next_vectors[n] = x[at_vector + n * row_step * quads_per_row];
        return;
    }
    [[unroll]] for (uint n = 0; n < each_of_rows; ++n) {
        const uint row = tile_row + own_row() + n * row_step;
        next_rows[n] = row < launch.count ? load_row(place_of(row), quad + own_quad()) : uvec4(0);
    }
    [[unroll]] for (uint n = 0; n < each_of_vectors; ++n) {
        const uint vector = tile_vector + own_row() + n * row_step;
        next_vectors[n] = vector < all_vectors ? load_vector(vector, quad + own_quad()) : uvec4(0);
    }
}

// The sum over a vector's bytes: (q - zero_point) * x, added up, is the sum of q * x minus zero_point times this sum.
const bool has_zero_point = scheme == one_step_and_zero;
shared int sum_of_vector[vectors];

void store_tiles() {
    const uint to = own_row() * pitch + own_quad();
    [[unroll]] for (uint n = 0; n < each_of_rows; ++n) row_tile[to + n * row_step * pitch] = next_rows[n];
    [[unroll]] for (uint n = 0; n < each_of_vectors; ++n) {
        vector_tile[to + n * row_step * pitch] = next_vectors[n];
        if (!has_zero_point) continue;
        int sum = 0;
        [[unroll]] for (uint w = 0; w < 4; ++w) sum += dot_of_four(0x01010101u, next_vectors[n][w]);
        atomicAdd(sum_of_vector[own_row() + n * row_step], sum);
    }
}

// Row and vector are those in the tile.
void store(uint row, uint vector, int sum) {
    if (tile_row + row >= launch.count || tile_vector + vector >= all_vectors) return;
    const uint place = place_of(tile_row + row), v = tile_vector + vector;
    if (has_zero_point) sum -= zero_point_of(place) * sum_of_vector[vector];
    y[v * launch.total + place] = step_of(place) * x_steps[v] * float(sum);
}

#ifdef HAS_MATRIX_UNITS
// 4 x 2 fragments of 16 vectors and 16 rows.
IntSums sums[8];
shared int fragments[8 * 256];  // one of each subgroup, on its way to memory
uint first_vector() { return subgroup() / 4 * 64; }
uint first_row() { return subgroup() % 4 * 32; }

void clear_sums() {
    [[unroll]] for (uint i = 0; i < 8; ++i) sums[i] = zero_int_sums;
}
void multiply_tiles() {
    [[unroll]] for (uint q = 0; q < depth; q += 2) {
        ByteFragmentA left[4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            coopMatLoad(left[i], vector_tile, (first_vector() + 16 * i) * pitch + q, pitch, ROW_MAJOR);
        [[unroll]] for (uint j = 0; j < 2; ++j) {
            ByteFragmentB right;
            coopMatLoad(right, row_tile, (first_row() + 16 * j) * pitch + q, pitch, COLUMN_MAJOR);
            [[unroll]] for (uint i = 0; i < 4; ++i) sums[2 * i + j] = coopMatMulAdd(left[i], right, sums[2 * i + j]);
        }
    }
}
void store_sums() {
    const uint lanes = invocations / 8, begin = subgroup() * 256;
    [[unroll]] for (uint i = 0; i < 8; ++i) {
        coopMatStore(sums[i], fragments, begin, 16, ROW_MAJOR);
        barrier();
        for (uint e = gl_LocalInvocationIndex % lanes; e < 256; e += lanes)
            store(first_row() + i % 2 * 16 + e % 16, first_vector() + i / 2 * 16 + e / 16, fragments[begin + e]);
        barrier();
    }
}
#else
const uint result_rows = rows_at_once / 16, result_vectors = vectors / 16;
int sums[result_rows * result_vectors];
uint first_row() { return gl_LocalInvocationIndex % 16; }
uint first_vector() { return gl_LocalInvocationIndex / 16; }

void clear_sums() {
    [[unroll]] for (uint i = 0; i < result_rows * result_vectors; ++i) sums[i] = 0;
}
void multiply_tiles() {
    [[dont_unroll]] for (uint q = 0; q < depth; ++q) {
        uvec4 quads[result_rows];
        [[unroll]] for (uint i = 0; i < result_rows; ++i) quads[i] = row_tile[(first_row() + 16 * i) * pitch + q];
        [[unroll]] for (uint j = 0; j < result_vectors; ++j) {
            const uvec4 quad = vector_tile[(first_vector() + 16 * j) * pitch + q];
            [[unroll]] for (uint i = 0; i < result_rows; ++i)
                [[unroll]] for (uint w = 0; w < 4; ++w)
                    sums[j * result_rows + i] += dot_of_four(quads[i][w], quad[w]);
        }
    }
}
void store_sums() {
    [[unroll]] for (uint j = 0; j < result_vectors; ++j)
        [[unroll]] for (uint i = 0; i < result_rows; ++i)
            store(first_row() + 16 * i, first_vector() + 16 * j, sums[j * result_rows + i]);
}
#endif

void main() {
    for (tile_row = gl_WorkGroupID.y * rows_at_once; tile_row < launch.count;
         tile_row += launch.workgroup_count * rows_at_once)
        for (tile_vector = gl_WorkGroupID.x * vectors; tile_vector < all_vectors;
             tile_vector += launch.grid_x * vectors) {
            clear_sums();
            if (has_zero_point) {
                for (uint v = gl_LocalInvocationIndex; v < vectors; v += invocations) sum_of_vector[v] = 0;
                barrier();
            }
            load_tiles(0);
            for (uint quad = 0; 4 * quad < words_per_row(); quad += depth) {
                store_tiles();
                barrier();
                load_tiles(quad + depth);
                multiply_tiles();
                barrier();
            }
            store_sums();
            // The next tile begins with other sums of vectors.
            if (has_zero_point) barrier();
        }
}
