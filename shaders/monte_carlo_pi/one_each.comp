#version 450

// One point per element, and one atomic addition per hit. Two of the four words of a call are discarded.
#extension GL_GOOGLE_include_directive : require
#include "common/philox.glsl"
#include "monte_carlo_pi/hits.glsl"
#include "monte_carlo_pi/whole_numbers.glsl"

void main() {
    // [loop]
    for (uint i = global_index(); i < launch.count;
         i += invocation_count()) {
        const uint number = place_of(i);
        const uvec4 words =
            philox(uvec4(number / 2, 0, 0, 0),
                   uvec2(launch.seed, 0));
        const uvec2 point =
            number % 2 == 0 ? words.xy : words.zw;
        if (is_hit(point))
            atomicAdd(hits[launch.run], 1);
    }
    // [/loop]
}
