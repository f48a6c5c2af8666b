// The same product twice, from the same fragments: c is added up in 32 bits, and c_half in 16.
#include "common/cooperative_matrix.glsl"
#include "padded.glsl"

void main() {
    const uint row = 16 * gl_WorkGroupID.y;
    const uint column =
        64 * gl_WorkGroupID.x + 16 * subgroup();
    Sums sums = zero_sums;
    HalfSums half_sums = zero_half_sums;
    for (uint p = 0; p < padded_k; p += 16) {
        FragmentA left;
        FragmentB right;
        coopMatLoad(left, a, a_at(row, p), padded_k / 8, ROW_MAJOR);
        coopMatLoad(right, b, b_at(p, column), padded_columns / 8, ROW_MAJOR);
        // [sums]
        sums = coopMatMulAdd(left, right, sums);
        half_sums =
            coopMatMulAdd(left, right, half_sums);
        // [/sums]
    }
    coopMatStore(sums, c, c_at(row, column), padded_columns, ROW_MAJOR);
    Sums of_halves = to_sums(half_sums);
    coopMatStore(of_halves, c_half, c_at(row, column), padded_columns, ROW_MAJOR);
}
