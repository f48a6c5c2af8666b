#version 450

// Like tiled.comp, but an invocation computes several numbers of c, `down` rows by `across` columns. It uses each number that it
// loads from workgroup memory for a whole row or column of them. They are a workgroup's width apart, so that neighbours stay adjacent.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "matmul/matrices.glsl"

layout(constant_id = 3) const uint depth = 8;   // length of the part of k that is loaded at a time
layout(constant_id = 4) const uint across = 4;  // results of an invocation along x
layout(constant_id = 5) const uint down = 4;    // and along y

const uint tile_rows = gl_WorkGroupSize.y * down, tile_columns = gl_WorkGroupSize.x * across;
shared float a_tile[tile_rows * depth];
shared float b_tile[depth * tile_columns];

void main() {
    const uint local_index = gl_LocalInvocationIndex, invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    for (uint row = gl_WorkGroupID.y * tile_rows; row < launch.count; row += grid_rows() * down)
        for (uint column = gl_WorkGroupID.x * tile_columns; column < launch.columns; column += grid_columns() * across) {
            float sums[down][across];
            [[unroll]] for (uint i = 0; i < down; ++i)
                [[unroll]] for (uint j = 0; j < across; ++j) sums[i][j] = 0.0;
            for (uint first = 0; first < launch.k; first += depth) {
                for (uint i = local_index; i < tile_rows * depth; i += invocations)
                    a_tile[i] = a_or_0(row + i / depth, first + i % depth);
                for (uint i = local_index; i < depth * tile_columns; i += invocations)
                    b_tile[i] = b_or_0(first + i / tile_columns, column + i % tile_columns);
                barrier();
                // [products]
                for (uint p = 0; p < depth; ++p) {
                    float left[down], right[across];
                    [[unroll]] for (uint i = 0; i < down; ++i)
                        left[i] = a_tile[p + depth *
                            (y + i * gl_WorkGroupSize.y)];
                    [[unroll]] for (uint j = 0; j < across; ++j)
                        right[j] = b_tile[p * tile_columns
                            + x + j * gl_WorkGroupSize.x];
                    [[unroll]] for (uint i = 0; i < down; ++i)
                        [[unroll]] for (uint j = 0;
                                        j < across; ++j)
                            sums[i][j] += left[i] * right[j];
                }
                // [/products]
                barrier();
            }
            [[unroll]] for (uint i = 0; i < down; ++i)
                [[unroll]] for (uint j = 0; j < across; ++j)
                    leave(row + y + i * gl_WorkGroupSize.y, column + x + j * gl_WorkGroupSize.x, sums[i][j]);
        }
}
