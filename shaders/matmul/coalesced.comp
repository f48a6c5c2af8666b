#version 450

// Each invocation computes one number of c. Adjacent invocations have adjacent columns.
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"

void main() {
    for (uint y = gl_GlobalInvocationID.y; y < launch.count; y += grid_rows())
        for (uint x = gl_GlobalInvocationID.x; x < launch.columns; x += grid_columns()) {
            // [product]
            const uint row = y, column = x;
            float sum = 0.0;
            for (uint p = 0; p < launch.k; ++p)
                sum += a_at(row, p) * b_at(p, column);
            leave(row, column, sum);
            // [/product]
        }
}
