#version 450

// Like atomic_shared, with several copies of every bin: invocations that run together count in different copies, so that
// they rarely contend for the same word of memory.
#extension GL_GOOGLE_include_directive : require
#include "histogram/each_number.glsl"

layout(constant_id = 3) const uint words = 16;      // number of counts that fit
layout(constant_id = 4) const uint copies = 1;      // of each bin: a power of two
layout(constant_id = 5) const bool all_fit = true;  // false: bins that do not fit are counted in global memory

const uint banks = 32;  // of workgroup memory, one word wide each, on most devices

shared uint own[words];
shared uint own_outside;

// [count]
// The copies of a bin are adjacent.
uint place(uint bin) {
    const uint rank =
        gl_LocalInvocationIndex;
    return bin * copies + rank % copies;
}

void count(uint bin) {
    if (all_fit || bin < words / copies)
        atomicAdd(own[place(bin)], 1);
    else
        atomicAdd(counts[bin], 1);
}
// [/count]

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    // A workgroup without numbers has nothing to clear and nothing to add.
    if (4 * size * gl_WorkGroupID.x >= launch.count) return;
    const uint held = min(launch.bins, words / copies);

    for (uint i = lane; i < held * copies; i += size)
        own[i] = 0;
    if (lane == 0) own_outside = 0;
    barrier();

    const uint outside = count_my_numbers();
    if (outside > 0) atomicAdd(own_outside, outside);
    barrier();

    // [merge]
    // Lanes start at different copies and
    // so read different memory banks.
    const uint start = lane * copies / banks;
    const uint end = start + copies;
    for (uint bin = lane; bin < held;
         bin += size) {
        const uint first = bin * copies;
        uint sum = 0;
        for (uint k = start; k < end; ++k)
            sum += own[first + k % copies];
        if (sum > 0) atomicAdd(counts[bin], sum);
    }
    // [/merge]
    if (lane == 0 && own_outside > 0) atomicAdd(ignored, own_outside);
}
