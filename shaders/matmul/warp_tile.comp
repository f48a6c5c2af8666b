#version 450

// Like vec4.comp, but the lanes of a subgroup form a compact rectangle of c instead of rows of the workgroup: together they need
// fewer numbers of a and b.
#extension GL_GOOGLE_include_directive : require
#define PARTS 1
#include "matmul/tile.glsl"
#include "matmul/subgroup_place.glsl"

void main() {
    take_place_in_subgroup();
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
