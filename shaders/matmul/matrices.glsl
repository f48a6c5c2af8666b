// What the matrix products share: a has k columns and b as many rows, and each number of c is a row of a times a column of b. A
// launch runs over c, its columns along x and its rows along y. The factors are seen through strides: where one lies transposed
// in memory, its two strides have changed places, and nothing is copied.
#define PARAMETERS uint k; uint a_row; uint a_column; uint b_row; uint b_column;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

// Steps of an invocation, and of a workgroup's tile, from one of its columns or rows to its next.
uint grid_columns() { return launch.grid_x * gl_WorkGroupSize.x; }
uint grid_rows() { return launch.workgroup_count * gl_WorkGroupSize.y; }

// Row `row` of this dispatch.
float a_at(uint row, uint p) { return a[place_of(row) * launch.a_row + p * launch.a_column]; }
float b_at(uint p, uint column) { return b[p * launch.b_row + column * launch.b_column]; }

// The same behind the edges, where there is nothing: 0 adds nothing.
float a_or_0(uint row, uint p) { return row < launch.count && p < launch.k ? a_at(row, p) : 0.0; }
float b_or_0(uint p, uint column) { return p < launch.k && column < launch.columns ? b_at(p, column) : 0.0; }

// Of this dispatch as well; what lies behind the edges is left out.
void leave(uint row, uint column, float sum) {
    if (row < launch.count && column < launch.columns) c[row * launch.columns + column] = sum;
}
