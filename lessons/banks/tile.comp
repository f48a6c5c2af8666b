// A workgroup of 32 x 8 transposes a tile of 32 x 32 numbers in workgroup memory, so that it loads rows
// and stores rows. row_width is the distance of two rows of the tile, in words. From 33 on, the last
// words of each row are padding.
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

// [tile]
shared float tile[32 * row_width];
// [/tile]

void main() {
    const uvec2 first = 32 * tile_of_workgroup();  // column and row
    const uint lane_x = gl_LocalInvocationID.x, lane_y = gl_LocalInvocationID.y;

    // [load]
    // Neighbouring lanes store a row of the tile.
    [[unroll]]
    for (uint k = lane_y; k < 32; k += 8) {
        const uint row = first.y + k;
        const uint column = first.x + lane_x;
        const uint word = k * row_width + lane_x;
        if (row < rows && column < columns)
            tile[word] = x[row * columns + column];
    }
    // [/load]
    barrier();
    // [store]
    // Neighbouring lanes load a column of the tile.
    [[unroll]]
    for (uint k = lane_y; k < 32; k += 8) {
        const uint row = first.y + lane_x;
        const uint column = first.x + k;
        const uint word = lane_x * row_width + k;
        const uint to = column * rows + row;
        if (row < rows && column < columns)
            transposed[to] = tile[word];
    }
    // [/store]
}
