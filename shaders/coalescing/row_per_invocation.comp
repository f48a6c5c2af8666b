#version 450

// The norm of each row: one invocation goes through a row from left to right, like a CPU thread.
#extension GL_GOOGLE_include_directive : require
#define NUMBER float
#include "coalescing/rows.glsl"

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint row = gl_GlobalInvocationID.x; row < row_count(); row += everyone) {
        // [row]
        float sum = 0.0;
        for (uint i = begin_of(row); i < end_of(row);
             ++i) {
            const float number = x[i];
            sum += number * number;
        }
        leave_norm(row, sum);
        // [/row]
    }
}
