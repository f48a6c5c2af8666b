#version 450

// The sum of each column of a matrix: launch.row_length columns, row_count()
// rows. columns.glsl has number_at() and leave_sum().
#extension GL_GOOGLE_include_directive : require
#include "coalescing/columns.glsl"

void main() {
    // Your turn: now a workgroup takes one column, and its lanes read numbers
    // that are a row apart. Their parts are not added up, either: only the
    // first one's is stored.
    for (uint column = gl_WorkGroupID.x; column < launch.row_length;
         column += launch.workgroup_count) {
        float mine = 0.0;
        for (uint row = gl_LocalInvocationIndex; row < row_count();
             row += gl_WorkGroupSize.x)
            mine += number_at(row, column);
        if (gl_LocalInvocationIndex == 0) leave_sum(column, mine);
    }
}
