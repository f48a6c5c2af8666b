// Shared by the matrix products: a has k columns and b has k rows, and each number of c is a row of a times a column of b. A launch
// covers c, its columns along x and its rows along y. The factors are accessed through strides: for a factor that is transposed in
// memory, the two strides are swapped, and nothing is copied.
#define PARAMETERS uint k; uint a_row; uint a_column; uint b_row; uint b_column;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

// Strides of an invocation, and of a workgroup's tile, from one of its columns or rows to the next.
uint grid_columns() { return launch.grid_x * gl_WorkGroupSize.x; }
uint grid_rows() { return launch.workgroup_count * gl_WorkGroupSize.y; }

// Row `row` of this dispatch.
float a_at(uint row, uint p) { return a[place_of(row) * launch.a_row + p * launch.a_column]; }
float b_at(uint p, uint column) { return b[p * launch.b_row + column * launch.b_column]; }

// The same, or 0 past the edges, which adds nothing.
float a_or_0(uint row, uint p) { return row < launch.count && p < launch.k ? a_at(row, p) : 0.0; }
float b_or_0(uint p, uint column) { return p < launch.k && column < launch.columns ? b_at(p, column) : 0.0; }

// Row and column are of this dispatch, too; numbers past the edges are not stored.
void leave(uint row, uint column, float sum) {
    if (row < launch.count && column < launch.columns) c[row * launch.columns + column] = sum;
}
