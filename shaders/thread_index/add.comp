#version 450

// One element per invocation, without a bounds check: the launch must have exactly as many invocations as there are
// elements.
#extension GL_GOOGLE_include_directive : require
#include "thread_index/arrays.glsl"

void main() {
    // [body]
    const uint i =
        gl_WorkGroupID.x * gl_WorkGroupSize.x
        + gl_LocalInvocationID.x;
    results[i] = x[i] + y[i];
    // [/body]
    note_element(i);
}
