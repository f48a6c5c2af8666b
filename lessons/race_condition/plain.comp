// Every invocation adds 1 to the same counter: it loads the counter, adds 1 and stores the sum. Nothing excludes others
// meanwhile: a deliberate mistake.
#include "invocations.glsl"

void main() {
    // [count]
    for (uint i = global_index(); i < launch.count;
         i += invocation_count())
        counts[repetition] = counts[repetition] + 1;
    // [/count]
}
