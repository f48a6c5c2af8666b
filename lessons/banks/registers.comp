// A workgroup of 256 transposes a tile of 64 x 64 numbers. Each invocation transposes 4 x 4 of them in
// its registers, so that the tile, too, is only accessed in quads.
#extension GL_EXT_control_flow_attributes : require
#include "quads.glsl"

// Each row of the tile is a column of x.
shared vec4 tile[64 * 16];

// [place]
// Where the tile has a quad of this column.
uint place_of_quad(uint column, uint quad) {
    return column * 16
        + (quad ^ (column / 4 % 8));
}
// [/place]

void main() {
    const uvec2 first = 64 * tile_of_workgroup();  // column and row
    const uint me = gl_LocalInvocationIndex;
    const uint column = me % 16 * 4, row = me / 16 * 4;

    // [turn]
    mat4 square;
    [[unroll]] for (uint j = 0; j < 4; ++j)
        square[j] = load_quad(first.y + row + j,
                              first.x + column);
    square = transpose(square);
    [[unroll]] for (uint j = 0; j < 4; ++j)
        tile[place_of_quad(column + j, row / 4)] =
            square[j];
    // [/turn]
    barrier();

    // [store]
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        const uint c = me / 16 + 16 * k;
        const uint quad = me % 16;
        store_quad(first.y + 4 * quad, first.x + c,
                   tile[place_of_quad(c, quad)]);
    }
    // [/store]
}
