#version 450

// Every number times one more than its column, plus its row. Rows are to become columns: write each to its new place.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) writeonly buffer Marked { uint marked[]; };

void main() {
    const uvec2 grid = uvec2(launch.grid_x, launch.workgroup_count) * gl_WorkGroupSize.xy;
    for (uint row = gl_GlobalInvocationID.y; row < launch.count; row += grid.y)
        for (uint column = gl_GlobalInvocationID.x; column < launch.columns; column += grid.x) {
            const uint i = row * launch.columns + column;
            marked[place_of(row) * launch.columns + column] = numbers[i] * (column + 1) + place_of(row);
        }
}
