#version 450

// As warp_tile.comp, but what is needed next is always on its way already. While the products of a tile are added, the next tile
// comes from memory into registers, and goes from there into the other half of workgroup memory. And while four numbers are
// multiplied, the next four come from workgroup memory. One barrier a tile is enough.
#extension GL_GOOGLE_include_directive : require
#define PARTS 2
#include "matmul/tile.glsl"
#include "matmul/subgroup_place.glsl"

vec4 coming_a[a_each], coming_b[b_each];

void fetch_tile(uint first, bool whole) {
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        if (is_there(n, a_quads)) coming_a[n] = fetch(factor_a(), my_quad(n), begin_a[n], tile_row, first, whole);
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        if (is_there(n, b_quads)) coming_b[n] = fetch(factor_b(), my_quad(n), begin_b[n], tile_column, first, whole);
}

void keep_tile(uint part) {
    [[unroll]] for (uint n = 0; n < a_each; ++n)
        if (is_there(n, a_quads)) keep(factor_a(), my_quad(n), part, coming_a[n]);
    [[unroll]] for (uint n = 0; n < b_each; ++n)
        if (is_there(n, b_quads)) keep(factor_b(), my_quad(n), part, coming_b[n]);
}

// Of whole tiles, which nearly all are, nothing is asked number by number.
void fetch_if_any(uint first) {
    if (first + depth <= launch.k)
        fetch_tile(first, true);
    else if (first < launch.k)
        fetch_tile(first, false);
}
// To the tile that begins there.
void go_on(uint first, inout uint now) {
    if (first < launch.k) keep_tile(1 - now);
    barrier();
    now = 1 - now;
}

void main() {
    take_place_in_subgroup();
    bool goes_on = false;
    for (tile_row = gl_WorkGroupID.y * tile_rows; tile_row < launch.count; tile_row += launch.workgroup_count * tile_rows)
        for (tile_column = gl_WorkGroupID.x * tile_columns; tile_column < launch.columns;
             tile_column += launch.grid_x * tile_columns) {
            // Behind the last tile quads are loaded that nobody needs. Who goes on to other results waits until all have.
            if (goes_on) barrier();
            goes_on = true;
            begin_tile();
            fetch_tile(0, depth <= launch.k);
            keep_tile(0);
            barrier();
            uint now = 0;
            load_quads(0, now, 0);
            // [tiles]
            for (uint first = 0; first < launch.k;
                 first += depth) {
                fetch_if_any(first + depth);
                for (uint p = 0; p < depth;
                     p += rounds_written_out)
                    [[unroll]] for (uint q = 0;
                            q < rounds_written_out; ++q) {
                        if (p + q == depth - 1)
                            go_on(first + depth, now);
                        // The next quads, then the
                        // products of those here.
                        load_quads((q + 1) % 2, now,
                                   (p + q + 1) % depth);
                        add_products(q % 2);
                    }
            }
            // [/tiles]
            leave_sums();
        }
}
