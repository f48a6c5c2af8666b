#version 450

// Each invocation computes one number of c. Adjacent invocations have adjacent rows, so the launch covers c's rows along x.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint k; uint a_row; uint a_column; uint b_row; uint b_column;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main() {
    const uint grid_rows = launch.grid_x * gl_WorkGroupSize.x;
    const uint grid_columns = launch.workgroup_count * gl_WorkGroupSize.y;
    for (uint y = gl_GlobalInvocationID.y; y < launch.count; y += grid_columns)
        for (uint x = gl_GlobalInvocationID.x; x < launch.columns; x += grid_rows) {
            // [product]
            const uint row = x, column = place_of(y);
            float sum = 0.0;
            for (uint p = 0; p < launch.k; ++p) {
                const uint left = row * launch.a_row
                    + p * launch.a_column;
                const uint right = p * launch.b_row
                    + column * launch.b_column;
                sum += a[left] * b[right];
            }
            // [/product]
            c[row * launch.total + column] = sum;
        }
}
