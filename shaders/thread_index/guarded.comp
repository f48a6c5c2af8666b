#version 450

// One element for each invocation that has one; the others return at once.
#extension GL_GOOGLE_include_directive : require
#include "thread_index/arrays.glsl"

void main() {
    // [body]
    const uint count = launch.width * launch.height;
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        results[i] = x[i] + y[i];
        note_element(i);
    } else {
        nothing_to_do();
    }
    // [/body]
}
