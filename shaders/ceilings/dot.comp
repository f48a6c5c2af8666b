#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// The reference for arithmetic on bytes: eight independent chains of dot products of four bytes with four, each added to a sum.
// 32 dot products per iteration, of four multiplications and four additions.
#define PARAMETERS uint bytes;
#include "common/launch.glsl"
#define BY_INSTRUCTION
#include "common/dot_of_four.glsl"

layout(std430, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
    uint sums[8];
    for (uint chain = 0; chain < 8; ++chain) sums[chain] = gl_LocalInvocationID.x * 8 + chain;
    for (uint i = 0; i < launch.count; ++i)
        for (uint repeat = 0; repeat < 4; ++repeat)
            for (uint chain = 0; chain < 8; ++chain)
                sums[chain] += uint(dot_of_four(sums[chain], launch.bytes));
    uint all = 0;
    for (uint chain = 0; chain < 8; ++chain) all ^= sums[chain];
    // Rarely true, which the compiler cannot know: without a use of the results it would remove the chains.
    if (all == 12345) result[0] = all;
}
