// Transposes a tile without padding and without bank conflicts. The words of each row are exchanged by
// xor with the row's number: a row still uses 32 different banks, and now a column does, too.
#include "square_tile.glsl"

uint word_of(uint row, uint column) { return row * 32 + (column ^ row); }

void main() {
    const uvec2 first = 32 * gl_WorkGroupID.xy;  // column and row of the tile
    const uint lane_x = gl_LocalInvocationID.x, lane_y = gl_LocalInvocationID.y;

    for (uint k = lane_y; k < 32; k += 8) {
        const uint row = first.y + k, column = first.x + lane_x;
        if (row < rows && column < columns) tile[word_of(k, lane_x)] = x[row * columns + column];
    }
    barrier();
    for (uint k = lane_y; k < 32; k += 8) {
        const uint row = first.y + lane_x, column = first.x + k;
        if (row < rows && column < columns) transposed[column * rows + row] = tile[word_of(lane_x, k)];
    }
}
