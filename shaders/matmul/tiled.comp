#version 450

// A workgroup computes a tile of c, one number per invocation. It loads the numbers of a and b that its invocations share once, for
// a part of k at a time, into workgroup memory.
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"

layout(constant_id = 3) const uint depth = 16;  // length of the part of k that is loaded at a time

// [tiles]
shared float a_tile[gl_WorkGroupSize.y * depth];
shared float b_tile[depth * gl_WorkGroupSize.x];
// [/tiles]

// [fetch]
void fetch_tiles(uint row, uint column,
                 uint first) {
    const uint width = gl_WorkGroupSize.x;
    const uint height = gl_WorkGroupSize.y;
    const uint index = gl_LocalInvocationIndex;
    for (uint i = index; i < height * depth;
         i += width * height)
        a_tile[i] = a_or_0(row + i / depth,
                           first + i % depth);
    for (uint i = index; i < depth * width;
         i += width * height)
        b_tile[i] = b_or_0(first + i / width,
                           column + i % width);
}
// [/fetch]

void main() {
    const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    for (uint row = gl_WorkGroupID.y * gl_WorkGroupSize.y; row < launch.count; row += grid_rows())
        for (uint column = gl_WorkGroupID.x * gl_WorkGroupSize.x; column < launch.columns; column += grid_columns()) {
            // [sum]
            float sum = 0.0;
            for (uint first = 0; first < launch.k;
                 first += depth) {
                fetch_tiles(row, column, first);
                barrier();  // the whole tile is loaded
                for (uint p = 0; p < depth; ++p)
                    sum += a_tile[y * depth + p] *
                        b_tile[p * gl_WorkGroupSize.x + x];
                barrier();  // nobody reads it any more
            }
            // [/sum]
            leave(row + y, column + x, sum);
        }
}
