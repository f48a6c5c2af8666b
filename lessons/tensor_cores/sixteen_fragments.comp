// Each subgroup computes 64 x 64 results, and multiplies each fragment four times.
#extension GL_EXT_control_flow_attributes : require
#include "common/cooperative_matrix.glsl"
#include "padded.glsl"

void main() {
    const uint row = 128 * gl_WorkGroupID.y + 64 * (subgroup() / 2);
    const uint column = 128 * gl_WorkGroupID.x + 64 * (subgroup() % 2);
    Sums sums[16];
    [[unroll]] for (uint i = 0; i < 16; ++i) sums[i] = zero_sums;
    for (uint p = 0; p < padded_k; p += 16) {
        // [reuse]
        FragmentA left[4];
        [[unroll]] for (uint i = 0; i < 4; ++i)
            coopMatLoad(left[i], a, a_at(row + 16 * i, p),
                        padded_k / 8, ROW_MAJOR);
        [[unroll]] for (uint j = 0; j < 4; ++j) {
            FragmentB right;
            coopMatLoad(right, b, b_at(p, column + 16 * j),
                        padded_columns / 8, ROW_MAJOR);
            [[unroll]] for (uint i = 0; i < 4; ++i)
                sums[4 * i + j] = coopMatMulAdd(
                    left[i], right, sums[4 * i + j]);
        }
        // [/reuse]
    }
    [[unroll]] for (uint i = 0; i < 16; ++i)
        coopMatStore(sums[i], c, c_at(row + 16 * (i / 4), column + 16 * (i % 4)), padded_columns, ROW_MAJOR);
}
