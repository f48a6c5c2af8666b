#version 450

// Two dimensions: x is the column of a picture, y its row. Workgroups extend past the right and the lower edge.
#extension GL_GOOGLE_include_directive : require
#include "thread_index/arrays.glsl"

void main() {
    // [body]
    const uint column = gl_GlobalInvocationID.x;
    const uint row =
        place_of(gl_GlobalInvocationID.y);
    if (column < launch.width && row < launch.height) {
        const uint i = row * launch.width + column;
        results[i] = x[i] + y[i];
        note_element(i);
    } else {
        nothing_to_do();
    }
    // [/body]
}
