// The square of one element per invocation. An invocation without an element squares the memory after the array.
#include "watched.glsl"

void main() {
    // [body]
    const uint i = gl_GlobalInvocationID.x;
    const uint one = x[i];
    results[i] = one * one;
    // [/body]
    note_element(i);
}
