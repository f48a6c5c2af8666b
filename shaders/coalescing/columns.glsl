// Shared by the kernels that add up the columns of a row-major matrix. The rows of a large matrix come in several dispatches, and
// each dispatch adds its part.
#define PARAMETERS uint row_length;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float x[]; };
layout(std430, binding = 1) buffer Sums { float sums[]; };

// The rows of this dispatch.
uint row_count() { return (launch.count + launch.row_length - 1) / launch.row_length; }

// 0 past the end of the last row, which may be shorter.
float number_at(uint row, uint column) {
    const uint i = row * launch.row_length + column;
    return i < launch.count ? x[place_of(i)] : 0.0;
}

// One invocation calls this for each column, once.
void leave_sum(uint column, float sum) { sums[column] = launch.fresh == 1 ? sum : sums[column] + sum; }
