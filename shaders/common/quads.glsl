// Loads the numbers at binding 0 in groups of four ("quads"), so that one load moves 16 bytes instead of 4, and adds up the
// numbers of one invocation in a loop. The includer combines the sums of a workgroup's invocations.
//
// The includer defines ELEMENT (uint or float) and ELEMENT4 (uvec4 or vec4).
#ifndef GRIDSTRIDE_QUADS
#define GRIDSTRIDE_QUADS

#include "common/launch.glsl"

// Bound as a multiple of 16 bytes, so the last quad can be loaded whole; numbers past `count` must not be added.
layout(std430, binding = 0) readonly buffer Quads { ELEMENT4 quads[]; };

// Returns the sum of this invocation's numbers: its quad in the workgroup's first tile, then one grid further each time.
ELEMENT sum_of_my_numbers() {
    // [sum]
    const uint whole_quads = launch.count / 4;
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;
    uint i = gl_WorkGroupID.x * size +
             gl_LocalInvocationIndex;

    // Four loads are in flight before the first
    // value is needed, and the four sums do not
    // depend on each other.
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
    // Up to three quads are left per invocation.
    // They are loaded together, too: in a short
    // run there are no others.
    if (i < whole_quads) a += quads[i];
    if (i + grid < whole_quads) b += quads[i + grid];
    if (i + 2 * grid < whole_quads)
        c += quads[i + 2 * grid];
    // [/sum]

    // One to three numbers may remain, in the quad after the last whole one. They go to the invocation whose turn it would be.
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
