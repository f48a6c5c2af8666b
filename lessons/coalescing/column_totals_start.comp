// The sum of each column of a matrix: row_length columns, row_count()
// rows. columns.glsl has number_at() and store_sum().
#include "columns.glsl"

void main() {
    // Your turn: here a workgroup sums one column, and its lanes load numbers
    // that are a row apart. The sums of the invocations are not added up:
    // only that of the first invocation is stored.
    for (uint column = gl_WorkGroupID.x; column < row_length;
         column += launch.workgroup_count) {
        float mine = 0.0;
        for (uint row = gl_LocalInvocationIndex; row < row_count();
             row += gl_WorkGroupSize.x)
            mine += number_at(row, column);
        if (gl_LocalInvocationIndex == 0) store_sum(column, mine);
    }
}
