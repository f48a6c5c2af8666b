#version 450

// The sum of each column: an invocation for each, so that neighbours read neighbours in every row.
#extension GL_GOOGLE_include_directive : require
#include "coalescing/columns.glsl"

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint column = gl_GlobalInvocationID.x; column < launch.row_length; column += everyone) {
        float sum = 0.0;
        for (uint row = 0; row < row_count(); ++row)
            sum += number_at(row, column);
        leave_sum(column, sum);
    }
}
