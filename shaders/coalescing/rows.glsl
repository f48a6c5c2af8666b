// Shared by the norms: a row-major matrix, and the norm of each row, which is the root of the sum of its squares. The last row may
// be shorter than the others. A kernel first defines what a load returns:
//     #define NUMBER float
#define PARAMETERS uint row_length;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Matrix { NUMBER x[]; };
layout(std430, binding = 1) writeonly buffer Norms { float norms[]; };

// The rows of this dispatch, and where in x[] a row begins and ends.
uint row_count() { return (launch.count + launch.row_length - 1) / launch.row_length; }
uint begin_of(uint row) { return row * launch.row_length; }
uint end_of(uint row) { return min(begin_of(row) + launch.row_length, launch.count); }

void leave_norm(uint row, float sum_of_squares) {
    norms[place_of(begin_of(row)) / launch.row_length] = sqrt(sum_of_squares);
}
