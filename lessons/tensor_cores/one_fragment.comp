// Each subgroup computes 16 x 16 results, with fragments straight from memory.
#include "common/cooperative_matrix.glsl"
#include "padded.glsl"

void main() {
    const uint row = 16 * gl_WorkGroupID.y;
    const uint column =
        64 * gl_WorkGroupID.x + 16 * subgroup();
    // [fragments]
    Sums sums = zero_sums;
    for (uint p = 0; p < padded_k; p += 16) {
        FragmentA left;
        FragmentB right;
        coopMatLoad(left, a, a_at(row, p),
                    padded_k / 8, ROW_MAJOR);
        coopMatLoad(right, b, b_at(p, column),
                    padded_columns / 8, ROW_MAJOR);
        sums = coopMatMulAdd(left, right, sums);
    }
    coopMatStore(sums, c, c_at(row, column),
                 padded_columns, ROW_MAJOR);
    // [/fragments]
}
