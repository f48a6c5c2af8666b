// Load, addition and store are one indivisible operation.
#include "invocations.glsl"

void main() {
    // [count]
    for (uint i = me(); i < launch.count;
         i += everyone())
        atomicAdd(counts[repetition], 1);
    // [/count]
}
