// The sum of each column. Adjacent lanes read adjacent numbers, of one row or of several short ones. A workgroup covers a strip of
// columns that is as wide as the workgroup, or as the matrix. If the matrix is narrower, several invocations share each column and
// add up their parts in workgroup memory.
#include "columns.glsl"

shared float parts[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x, lane = gl_LocalInvocationIndex;
    const uint width = min(row_length, size);  // of a strip
    const uint rows_at_once = size / width;
    const uint my_row = lane / width;

    for (uint first = gl_WorkGroupID.x * width; first < row_length; first += launch.workgroup_count * width) {
        const uint column = first + lane % width;
        float mine = 0.0;
        if (my_row < rows_at_once && column < row_length)
            for (uint row = my_row; row < row_count(); row += rows_at_once)
                mine += number_at(row, column);
        parts[lane] = mine;
        barrier();

        // The first row of lanes adds up the parts below it.
        if (my_row == 0 && column < row_length) {
            for (uint row = 1; row < rows_at_once; ++row)
                mine += parts[row * width + lane];
            store_sum(column, mine);
        }
        barrier();
    }
}
