#version 450

// The distance of each row of a from each column of b: the sum of their squared differences, by tiles. Past the end of k both are 0,
// and so is their difference.
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"

layout(constant_id = 3) const uint depth = 16;  // length of a tile along k

shared float a_tile[gl_WorkGroupSize.y * depth];
shared float b_tile[depth * gl_WorkGroupSize.x];

void main() {
    const uint local_index = gl_LocalInvocationIndex, invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    for (uint row = gl_WorkGroupID.y * gl_WorkGroupSize.y; row < launch.count; row += grid_rows())
        for (uint column = gl_WorkGroupID.x * gl_WorkGroupSize.x; column < launch.columns; column += grid_columns()) {
            float sum = 0.0;
            for (uint first = 0; first < launch.k; first += depth) {
                for (uint i = local_index; i < gl_WorkGroupSize.y * depth; i += invocations)
                    a_tile[i] = a_or_0(row + i / depth, first + i % depth);
                for (uint i = local_index; i < depth * gl_WorkGroupSize.x; i += invocations)
                    b_tile[i] = b_or_0(first + i / gl_WorkGroupSize.x, column + i % gl_WorkGroupSize.x);
                barrier();
                for (uint p = 0; p < depth; ++p) {
                    const float difference = a_tile[y * depth + p] - b_tile[p * gl_WorkGroupSize.x + x];
                    sum += difference * difference;
                }
                barrier();
            }
            leave(row + y, column + x, sum);
        }
}
