// The norm of each row: the invocations of a workgroup read neighbouring numbers of a row.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define ELEMENT float
#include "rows.glsl"
#include "common/workgroup_sum.glsl"

void main() {
    for (uint row = gl_WorkGroupID.x; row < row_count(); row += launch.workgroup_count) {
        // [row]
        float mine = 0.0;
        uint i = begin_of(row) + gl_LocalInvocationIndex;
        for (; i < end_of(row); i += gl_WorkGroupSize.x) {
            const float number = x[i];
            mine += number * number;
        }
        const float sum = sum_of_workgroup(mine, true);
        if (is_first()) store_norm(row, sum);
        // [/row]
        barrier();  // before workgroup memory is reused for the next row
    }
}
