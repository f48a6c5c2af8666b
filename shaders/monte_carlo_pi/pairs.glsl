// The loop of the kernels that make two points at a time. The includer says what they are, and when one is a hit:
//     uvec4 two_points(uint pair);
//     bool is_hit(uvec2 point);
#include "monte_carlo_pi/hits.glsl"

void main() {
    // A slice begins with a whole pair.
    const uint first = place_of(0) / 2, pairs = launch.count / 2;
    // [loop]
    uint mine = 0, pair = me();
    for (; pair < pairs; pair += everyone()) {
        const uvec4 words = two_points(first + pair);
        mine += uint(is_hit(words.xy));
        mine += uint(is_hit(words.zw));
    }
    // Of an odd count, one point is left. It is
    // whose turn it would be.
    if (pair == pairs && launch.count % 2 == 1)
        mine += uint(is_hit(two_points(first + pair).xy));
    leave_hits(mine);
    // [/loop]
}
