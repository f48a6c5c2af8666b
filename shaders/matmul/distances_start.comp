#version 450

// The distance of each row of a from each column of b: the sum of their squared differences.
// b_or_0() and a_or_0() return a number, or 0 past the edges.
//
// TODO: cover all of k, not only its first number; and let a workgroup load the numbers that
// it shares once, into workgroup memory.
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"

layout(constant_id = 3) const uint depth = 16;  // length of a tile along k

void main() {
    const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    for (uint row = gl_WorkGroupID.y * gl_WorkGroupSize.y; row < launch.count; row += grid_rows())
        for (uint column = gl_WorkGroupID.x * gl_WorkGroupSize.x; column < launch.columns;
             column += grid_columns()) {
            const float difference = a_or_0(row + y, 0) - b_or_0(0, column + x);
            leave(row + y, column + x, difference * difference);
        }
}
