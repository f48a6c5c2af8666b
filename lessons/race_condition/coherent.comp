// Like plain.comp, with a counter that is loaded from and stored to memory each time: others can see each store. That does
// not prevent the race.
#include "invocations.glsl"

void main() {
    // [count]
    for (uint i = global_index(); i < launch.count;
         i += invocation_count())
        counts[repetition] = counts[repetition] + 1;
    // [/count]
}
