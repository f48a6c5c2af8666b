// A workgroup of 256 transposes a tile of 64 x 64 numbers. Each invocation loads four quads of rows and
// stores four quads of columns. A row of the tile has 16 quads, whose places are exchanged by xor, so
// that a column of words lies in different banks.
#extension GL_EXT_control_flow_attributes : require
#include "quads.glsl"

shared vec4 tile[64 * 16];

// [place]
// Where the tile has a quad of this row.
uint place_of_quad(uint row, uint quad) {
    return row * 16 + (quad ^ (row / 4 % 8));
}
// [/place]

void main() {
    const uvec2 first = 64 * tile_of_workgroup();  // column and row
    const uint me = gl_LocalInvocationIndex;

    // All four loads are in flight before the first value is used.
    vec4 quads[4];
    [[unroll]] for (uint k = 0; k < 4; ++k)
        quads[k] = load_quad(first.y + me / 16 + 16 * k, first.x + me % 16 * 4);
    [[unroll]] for (uint k = 0; k < 4; ++k)
        tile[place_of_quad(me / 16 + 16 * k, me % 16)] = quads[k];
    barrier();

    // 8 neighbours store 32 rows of a column, the next 8 those of the next column: 32 lanes load words of 32
    // different banks.
    [[unroll]] for (uint k = 0; k < 4; ++k) {
        const uint part = me / 32 + 8 * k;
        const uint column = part / 2 * 4 + me / 8 % 4, row = (part % 2 * 8 + me % 8) * 4;
        vec4 quad;
        [[unroll]] for (uint j = 0; j < 4; ++j)
            quad[j] = tile[place_of_quad(row + j, column / 4)][column % 4];
        store_quad(first.y + row, first.x + column, quad);
    }
}
