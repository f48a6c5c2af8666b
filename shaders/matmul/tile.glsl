// A tile of c whose numbers are loaded, stored and used four at a time ("quads"). In workgroup memory a is transposed: rows of a,
// like columns of b, are then adjacent, and a quad holds four of them at one index p of k. The rows of a and the columns of b are
// both called lines here.
//
// If a quad of memory runs along k, its four numbers are stored to four places. So that those of neighbours are in different banks,
// the quads of one p are followed by one unused quad, and those of eight by two more.
#extension GL_EXT_control_flow_attributes : require
#define PARAMETERS uint k; uint a_pitch; uint b_pitch;
#include "common/launch.glsl"

// Bound as multiples of 16 bytes.
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };

layout(constant_id = 3) const uint depth = 8;     // length of the part of k that is loaded at a time: a multiple of 4
layout(constant_id = 4) const uint across = 4;    // results of an invocation along x: a multiple of 4
layout(constant_id = 5) const uint down = 4;      // and along y
layout(constant_id = 6) const uint lanes_x = 16;  // adjacent invocations of a subgroup's rectangle in c, along x
layout(constant_id = 7) const uint lanes_y = 16;  // and along y
layout(constant_id = 8) const uint a_along_k = 1;   // 1: in memory, neighbours of a are along k; 0: along its rows
layout(constant_id = 9) const uint b_along_k = 0;
layout(constant_id = 10) const uint a_in_quads = 1;  // 1: each line of memory begins a quad; 0: numbers are loaded one by one
layout(constant_id = 11) const uint b_in_quads = 1;
layout(constant_id = 12) const uint c_in_quads = 1;
// Unroll factor of the loop over p: even, and a divisor of `depth`. A software driver takes seconds to compile a large one.
layout(constant_id = 13) const uint rounds_written_out = 2;
#include "matmul/results.glsl"

const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
const uint tile_rows = gl_WorkGroupSize.y * down, tile_columns = gl_WorkGroupSize.x * across;
const uint a_step = tile_rows / 4 + 1, b_step = tile_columns / 4 + 1;  // quads from one p to the next
const uint a_quads = tile_rows * depth / 4, b_quads = tile_columns * depth / 4;
// Quads of rows and of columns that hold an invocation's results.
const uint rows_each = down / 4, columns_each = across / 4;
// Quads of each factor that an invocation loads.
const uint a_each = (a_quads + invocations - 1) / invocations, b_each = (b_quads + invocations - 1) / invocations;
uint my_quad(uint n) { return gl_LocalInvocationIndex + n * invocations; }
bool is_there(uint n, uint quads) { return quads % invocations == 0 || my_quad(n) < quads; }

uint begin_of_p(uint p, uint step) { return p * step + p / 8 * 2; }
// A part holds a tile's numbers of a, then those of b. There are PARTS of them.
const uint unused = depth / 8 * 2;
const uint b_begins = depth * a_step + unused, part_quads = depth * (a_step + b_step) + 2 * unused;
shared vec4 tiles[PARTS * part_quads];

// The current tile: its first row, of this dispatch, and column; and where my quads begin in memory.
uint tile_row, tile_column;
uint begin_a[a_each], begin_b[b_each];
// My first quads of the tile's rows and columns; the next ones are lanes_y and lanes_x further.
uint my_rows, my_columns;
vec4 sums[down][columns_each];

// A factor as a tile accesses it.
struct Factor {
    bool is_a;
    uint lines, first;  // number of lines in this dispatch, and index of the first in memory
    uint pitch;         // numbers from one line of memory to the next
    bool along_k;       // quads of memory run along k
    bool in_quads;
    uint tile_lines;
    uint step, begins;  // within a part of workgroup memory: quads from one p to the next, and the first quad
};
Factor factor_a() {
    return Factor(true, launch.count, launch.first, launch.a_pitch, a_along_k == 1, a_in_quads == 1, tile_rows, a_step, 0);
}
Factor factor_b() {
    return Factor(false, launch.columns, 0, launch.b_pitch, b_along_k == 1, b_in_quads == 1, tile_columns, b_step, b_begins);
}

// The first line and the first p of quad i of a tile.
uvec2 place_in_tile(Factor of, uint i) {
    if (of.along_k) return uvec2(i / (depth / 4), i % (depth / 4) * 4);
    return uvec2(i % (of.tile_lines / 4) * 4, i / (of.tile_lines / 4));
}

vec4 quad_at(Factor of, uint i) { return of.is_a ? a[i] : b[i]; }
float number_at(Factor of, uint i) { return of.is_a ? a[i / 4][i % 4] : b[i / 4][i % 4]; }

// The number in memory at which quad i of the first tile begins. Past the edge, the last line is loaded again; results computed
// from it are not stored.
uint begin_of(Factor of, uint i, uint tile_line) {
    const uvec2 at = place_in_tile(of, i);
    const uint last = of.in_quads && !of.along_k ? of.lines - 4 : of.lines - 1;
    const uint line = of.first + min(tile_line + at.x, last);
    return of.along_k ? line * of.pitch + at.y : at.y * of.pitch + line;
}

// Quad i of the tile whose k begins at `first`. Numbers past the end of k are 0; `whole`: there are none.
vec4 fetch(Factor of, uint i, uint begin, uint tile_line, uint first, bool whole) {
    const uint further = first * (of.along_k ? 1 : of.pitch);
    if (of.in_quads && whole) return quad_at(of, begin / 4 + further / 4);
    const uvec2 at = place_in_tile(of, i) + uvec2(tile_line, first);
    if (of.in_quads) return at.y < launch.k ? quad_at(of, begin / 4 + further / 4) : vec4(0);
    const bool inside = at.x < of.lines && at.y < launch.k;
    const uint left = !inside ? 0 : of.along_k ? launch.k - at.y : of.lines - at.x;
    vec4 quad = vec4(0);
    [[unroll]] for (uint j = 0; j < 4; ++j)
        if (j < left) quad[j] = number_at(of, begin + further + j);
    return quad;
}

// Stores such a quad into a part of workgroup memory.
void keep(Factor of, uint i, uint part, vec4 quad) {
    const uvec2 at = place_in_tile(of, i);
    const uint to = of.begins + begin_of_p(at.y, of.step) + at.x / 4 + part * part_quads;
    if (!of.along_k) {
        tiles[to] = quad;
        return;
    }
    [[unroll]] for (uint j = 0; j < 4; ++j) tiles[to + j * of.step][at.x % 4] = quad[j];
}

// My quads of a tile at one index of k, in two alternating sets: one is loaded while the other is multiplied.
vec4 left[2][rows_each], right[2][columns_each];

// [products]
// Loads my quads at p, and adds their products.
void load_quads(uint turn, uint part, uint p) {
    const uint rows = part * part_quads
        + my_rows + begin_of_p(p, a_step);
    const uint columns = part * part_quads
        + my_columns + b_begins
        + begin_of_p(p, b_step);
    [[unroll]] for (uint i = 0; i < rows_each; ++i)
        left[turn][i] = tiles[rows + i * lanes_y];
    [[unroll]] for (uint j = 0; j < columns_each;
                    ++j)
        right[turn][j] =
            tiles[columns + j * lanes_x];
}
void add_products(uint turn) {
    [[unroll]] for (uint i = 0; i < down; ++i)
        [[unroll]] for (uint j = 0;
                        j < columns_each; ++j)
            sums[i][j] += right[turn][j]
                * left[turn][i / 4][i % 4];
}
// [/products]

void add_products_of_tile() {
    for (uint p = 0; p < depth; p += rounds_written_out)
        [[unroll]] for (uint q = 0; q < rounds_written_out; ++q) {
            load_quads(q % 2, 0, p + q);
            add_products(q % 2);
        }
}

void begin_tile() {
    [[unroll]] for (uint n = 0; n < a_each; ++n) begin_a[n] = begin_of(factor_a(), my_quad(n), tile_row);
    [[unroll]] for (uint n = 0; n < b_each; ++n) begin_b[n] = begin_of(factor_b(), my_quad(n), tile_column);
    [[unroll]] for (uint i = 0; i < down; ++i)
        [[unroll]] for (uint j = 0; j < columns_each; ++j) sums[i][j] = vec4(0);
}

// Loads a tile of each factor from memory into workgroup memory.
void fetch_and_keep(uint first) {
    const bool whole = first + depth <= launch.k;
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        if (is_there(n, a_quads))
            keep(factor_a(), my_quad(n), 0, fetch(factor_a(), my_quad(n), begin_a[n], tile_row, first, whole));
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        if (is_there(n, b_quads))
            keep(factor_b(), my_quad(n), 0, fetch(factor_b(), my_quad(n), begin_b[n], tile_column, first, whole));
}

void store_sums() {
    [[unroll]] for (uint i = 0; i < down; ++i)
        [[unroll]] for (uint j = 0; j < columns_each; ++j) {
            const uint row = tile_row + (my_rows + i / 4 * lanes_y) * 4 + i % 4;
            const uint column = tile_column + (my_columns + j * lanes_x) * 4;
            store_four(row, column, sums[i][j]);
        }
}
