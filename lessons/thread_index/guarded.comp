// One element for each invocation that has one; the others return at once.
#include "watched.glsl"

void main() {
    // [body]
    const uint count = width * height;
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        results[i] = x[i] + y[i];
        note_element(i);
    } else {
        nothing_to_do();
    }
    // [/body]
}
