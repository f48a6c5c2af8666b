// Each workgroup counts in workgroup memory, and one of its invocations adds the sum to the counter.
#include "invocations.glsl"

shared uint together;

void main() {
    // [count]
    if (gl_LocalInvocationIndex == 0)
        together = 0;
    barrier();
    for (uint i = global_index(); i < launch.count;
         i += invocation_count())
        atomicAdd(together, 1);
    barrier();
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(counts[repetition], together);
    // [/count]
}
