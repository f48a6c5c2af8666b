// One element per invocation, without a bounds check: the launch must have exactly as many invocations as there are
// elements.
#include "watched.glsl"

void main() {
    // [body]
    const uint i =
        gl_WorkGroupID.x * gl_WorkGroupSize.x
        + gl_LocalInvocationID.x;
    results[i] = x[i] + y[i];
    // [/body]
    note_element(i);
}
