// The loop of the kernels that compute two points at a time. The includer defines the points, and which are hits:
//     uvec4 two_points(uint pair);
//     bool is_hit(uvec2 point);
#include "monte_carlo_pi/hits.glsl"

void main() {
    // A slice begins with a whole pair.
    const uint first = place_of(0) / 2, pairs = launch.count / 2;
    // [loop]
    uint mine = 0, pair = global_index();
    for (; pair < pairs; pair += invocation_count()) {
        const uvec4 words = two_points(first + pair);
        mine += uint(is_hit(words.xy));
        mine += uint(is_hit(words.zw));
    }
    // With an odd count, one point remains. It goes
    // to the invocation whose turn it would be.
    if (pair == pairs && launch.count % 2 == 1)
        mine += uint(is_hit(
            two_points(first + pair).xy));
    store_hits(mine);
    // [/loop]
}
