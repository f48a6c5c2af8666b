// The loop over the numbers of an invocation, four per load. Shared by atomic_shared and subgroup_replicas, which differ in
// where they count.
#ifndef GRIDSTRIDE_HISTOGRAM_EACH_NUMBER
#define GRIDSTRIDE_HISTOGRAM_EACH_NUMBER

#include "histogram/binning.glsl"

// Bound as a multiple of 16 bytes, so the last quad can be loaded whole; numbers past `count` must not be counted.
layout(std430, binding = 0) readonly buffer Quads { vec4 quads[]; };

void count(uint bin);  // defined by the includer

void count_if_inside(uint bin, inout uint outside) {
    if (bin < launch.bins)
        count(bin);
    else
        ++outside;
}

void count_quad(vec4 x, inout uint outside) {
    const uvec4 bin = bins_of(x);
    count_if_inside(bin.x, outside);
    count_if_inside(bin.y, outside);
    count_if_inside(bin.z, outside);
    count_if_inside(bin.w, outside);
}

// Counts the numbers of this invocation: its quad in the workgroup's first tile, then one grid further each time.
// Returns how many of them are outside the range.
uint count_my_numbers() {
    uint outside = 0;
    const uint whole = launch.count / 4;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    uint i = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex;

    // [loop]
    // i: my four numbers; grid: number of
    // invocations. Four loads are in flight
    // before the first value is needed.
    for (; i + 3 * grid < whole; i += 4 * grid) {
        const vec4 first = quads[i];
        const vec4 second = quads[i + grid];
        const vec4 third = quads[i + 2 * grid];
        const vec4 fourth = quads[i + 3 * grid];
        count_quad(first, outside);
        count_quad(second, outside);
        count_quad(third, outside);
        count_quad(fourth, outside);
    }
    for (; i < whole; i += grid)
        count_quad(quads[i], outside);
    // [/loop]

    // One to three numbers may remain, in the quad after the last whole one. They go to the invocation whose turn it would be.
    const uint left = launch.count % 4;
    if (i == whole && left > 0) {
        const vec4 last = quads[i];
        count_if_inside(bin_of(last.x), outside);
        if (left > 1) count_if_inside(bin_of(last.y), outside);
        if (left > 2) count_if_inside(bin_of(last.z), outside);
    }
    return outside;
}

#endif
