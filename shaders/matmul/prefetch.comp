#version 450

// Like warp_tile.comp, but the next numbers are always in flight. While the products of a tile are added, the next tile is loaded
// from memory into registers, and stored from there into the other half of workgroup memory. While four numbers are multiplied, the
// next four are loaded from workgroup memory. One barrier per tile suffices.
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

// Whole tiles, which nearly all are, need no bounds checks.
void fetch_if_any(uint first) {
    if (first + depth <= launch.k)
        fetch_tile(first, true);
    else if (first < launch.k)
        fetch_tile(first, false);
}
// Moves to the tile that begins there.
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
            // After the last tile, quads are loaded that are not used. Before the next results, all invocations must be done.
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
                        // products of the current ones.
                        load_quads((q + 1) % 2, now,
                                   (p + q + 1) % depth);
                        add_products(q % 2);
                    }
            }
            // [/tiles]
            store_sums();
        }
}
