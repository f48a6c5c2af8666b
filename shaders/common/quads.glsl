// The numbers at binding 0 in groups of four ("quads"), so that one load brings 16 bytes in place of 4, and the loop in
// which an invocation sums its share of them. What a workgroup makes of its invocations' sums is left to the includer.
//
// The includer defines ELEMENT (uint or float) and ELEMENT4 (uvec4 or vec4).
#ifndef GRIDSTRIDE_QUADS
#define GRIDSTRIDE_QUADS

#include "common/launch.glsl"

// Bound as a multiple of 16 bytes, so the last quad may be loaded whole; what lies beyond `count` is not ours to add.
layout(std430, binding = 0) readonly buffer Quads { ELEMENT4 quads[]; };

// The sum of the numbers of this invocation: its quad of the workgroup's first tile, then one grid further each time.
ELEMENT sum_of_my_numbers() {
    // [sum]
    const uint whole_quads = launch.count / 4;
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;
    uint i = gl_WorkGroupID.x * size +
             gl_LocalInvocationIndex;

    // Four loads are on their way before the first
    // is needed, and four sums grow that do not
    // wait for each other.
    ELEMENT4 a = ELEMENT4(0), b = a, c = a, d = a;
    for (; i + 3 * grid < whole_quads; i += 4 * grid) {
        const ELEMENT4 first = quads[i];
        const ELEMENT4 second = quads[i + grid];
        const ELEMENT4 third = quads[i + 2 * grid];
        const ELEMENT4 fourth = quads[i + 3 * grid];
        a += first;
        b += second;
        c += third;
        d += fourth;
    }
    // Up to three are left to each, and they are
    // loaded at once too: in a short run they are
    // all that there is.
    if (i < whole_quads) a += quads[i];
    if (i + grid < whole_quads) b += quads[i + grid];
    if (i + 2 * grid < whole_quads) c += quads[i + 2 * grid];
    // [/sum]

    // One to three numbers may be left, in the quad after the last whole one: they belong to whose turn it would be.
    const uint left = launch.count % 4;
    if (left > 0 && whole_quads % grid == i % grid) {
        const ELEMENT4 last = quads[whole_quads];
        b.x += last.x;
        if (left > 1) c.x += last.y;
        if (left > 2) d.x += last.z;
    }

    const ELEMENT4 sum = (a + b) + (c + d);
    return (sum.x + sum.y) + (sum.z + sum.w);
}

#endif
