#version 450

// Like register_tile.comp, with loads and stores of 16 bytes. An invocation's results form blocks of four rows and four columns.
#extension GL_GOOGLE_include_directive : require
#define PARTS 1
#include "matmul/tile.glsl"

void main() {
    my_rows = gl_LocalInvocationID.y;
    my_columns = gl_LocalInvocationID.x;
    for (tile_row = gl_WorkGroupID.y * tile_rows; tile_row < launch.count; tile_row += launch.workgroup_count * tile_rows)
        for (tile_column = gl_WorkGroupID.x * tile_columns; tile_column < launch.columns;
             tile_column += launch.grid_x * tile_columns) {
            begin_tile();
            for (uint first = 0; first < launch.k; first += depth) {
                fetch_and_keep(first);
                barrier();
                add_products_of_tile();
                barrier();
            }
            store_sums();
        }
}
