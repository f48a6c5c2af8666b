// Shared by the kernels that access four numbers of a row at a time: a quad, of 16 bytes. All rows of x
// begin at a multiple of 16 bytes if their length is a multiple of 4; load_width is then 4. Otherwise it
// is 1, and the numbers are loaded one by one. store_width is the same for the rows of the result.
#extension GL_EXT_control_flow_attributes : require
#include "order.glsl"

// Four numbers of a row of x, from this column on. Those outside the matrix are not used.
vec4 load_quad(uint row, uint column) {
    if (load_width == 4)
        return x[min(row, rows - 1) * (columns / 4) + min(column, columns - 4) / 4];
    vec4 quad = vec4(0);
    [[unroll]] for (uint j = 0; j < 4; ++j) {
        const uint i = row * columns + column + j;
        if (row < rows && column + j < columns) quad[j] = x[i / 4][i % 4];
    }
    return quad;
}

// Four numbers of a column of x, from this row on, become neighbours in a row of the result.
void store_quad(uint row, uint column, vec4 quad) {
    if (row >= rows || column >= columns) return;
    const uint to = column * rows + row;
    if (store_width == 4) {
        transposed[to / 4] = quad;
        return;
    }
    [[unroll]] for (uint j = 0; j < 4; ++j)
        if (row + j < rows) transposed[(to + j) / 4][(to + j) % 4] = quad[j];
}
