#version 450

// Like picture.comp, with column and row swapped. The guard is right, but the launch no longer fits.
#extension GL_GOOGLE_include_directive : require
#include "thread_index/arrays.glsl"

void main() {
    // [body]
    const uint row = gl_GlobalInvocationID.x;
    const uint column =
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
