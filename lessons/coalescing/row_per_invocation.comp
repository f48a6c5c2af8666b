// The norm of each row: an invocation reads a row from left to right, as a CPU thread would.
#include "rows.glsl"

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint row = gl_GlobalInvocationID.x; row < row_count(); row += grid) {
        // [row]
        float sum = 0.0;
        for (uint i = begin_of(row); i < end_of(row);
             ++i) {
            const float number = x[i];
            sum += number * number;
        }
        store_norm(row, sum);
        // [/row]
    }
}
