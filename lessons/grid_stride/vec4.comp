// The grid-stride loop over groups of four: 16 bytes per load and store.
#define NUMBER vec4
#include "pairs.glsl"

void main() {
    uint count = 0;
    // [loop]
    const uint quads = launch.count / 4;
    uint i = global_index();
    for (; i < quads; i += invocation_count()) {
        lengths[i] = length_of(x[i], y[i]);
        count += 4;
    }
    // [/loop]

    // [rest]
    // One to three may remain. They go to the
    // invocation whose turn would be next.
    const uint left = launch.count % 4;
    if (i == quads && left > 0) {
        const vec4 last = length_of(x[i], y[i]);
        for (uint k = 0; k < left; ++k)
            lengths[i][k] = last[k];
        count += left;
    }
    // [/rest]
    store_count(count);
}
