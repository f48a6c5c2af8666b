// Load, addition and store are one indivisible operation.
#include "invocations.glsl"

void main() {
    // [count]
    for (uint i = global_index(); i < launch.count;
         i += invocation_count())
        atomicAdd(counts[repetition], 1);
    // [/count]
}
