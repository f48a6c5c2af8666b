#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The sum of each workgroup's numbers, by the tree of tree_interleaved: the same invocations add the same numbers.
// The test for active invocations uses & instead of %: 2 * stride is a power of two, so "divisible by it"
// means "the bits below it are 0".
#extension GL_GOOGLE_include_directive : require
#include "common/partials.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

// [memory]
// One number per invocation;
// every workgroup has its own.
shared ELEMENT sums[gl_WorkGroupSize.x];
// [/memory]

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    ELEMENT total = ELEMENT(0);  // held by invocation 0, over all tiles of its workgroup
    for (uint start = gl_WorkGroupID.x * size; start < launch.count; start += launch.workgroup_count * size) {
        // [load]
        const uint i = start + lane;
        sums[lane] = i < launch.count ? numbers[i]
                                      : ELEMENT(0);
        if (barrier_after_load) barrier();
        // [/load]

        // [tree]
        for (uint stride = 1; stride < size; stride *= 2) {
            if ((lane & (2 * stride - 1)) == 0 &&
                lane + stride < size)
                sums[lane] += sums[lane + stride];
            barrier();
        }
        // [/tree]
        if (lane == 0) total += sums[0];
    }

    // [store]
    if (lane == 0) store_partial_sum(total);
    // [/store]
}
