// Shared by the kernels of this lesson: outside of the array, its nearest number counts.

// [at]
uint clamp_column(int x) {
    return uint(clamp(x, 0, int(columns) - 1));
}
uint clamp_row(int y) {
    return uint(clamp(y, 0, int(rows) - 1));
}
uint index_of(int column, int row) {
    return clamp_row(row) * columns
        + clamp_column(column);
}
// [/at]

// The column and the row of this invocation.
ivec2 place() { return ivec2(gl_GlobalInvocationID.xy); }

// Whether the array has this column and this row: the grid may be larger.
bool exists(ivec2 p) { return p.x < columns && p.y < rows; }
