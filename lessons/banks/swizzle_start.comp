// Transposes a matrix with `rows` rows and `columns` columns. A workgroup
// of 32 x 8 invocations has a tile of 32 x 32 numbers: tile[0] to tile[1023].
#include "square_tile.glsl"

void main() {
    const uvec2 first = 32 * gl_WorkGroupID.xy;  // column and row of the tile
    const uint lane_x = gl_LocalInvocationID.x, lane_y = gl_LocalInvocationID.y;

    // Your turn. The result is right. But each invocation stores what it has
    // loaded itself, so that neighbouring lanes store numbers that are a row
    // of the result apart.
    for (uint k = lane_y; k < 32; k += 8) {
        const uint row = first.y + k, column = first.x + lane_x;
        if (row < rows && column < columns) {
            tile[k * 32 + lane_x] = x[row * columns + column];
            transposed[column * rows + row] = tile[k * 32 + lane_x];
        }
    }
}
