#version 450

// Each workgroup counts in its own bins in workgroup memory, and adds them to the bins in global memory after it has
// processed all its numbers: one global addition per bin and workgroup instead of one per number.
#extension GL_GOOGLE_include_directive : require
#include "histogram/each_number.glsl"

layout(constant_id = 3) const uint words = 16;      // number of bins that fit
layout(constant_id = 4) const uint copies = 1;      // of each bin; here always 1
layout(constant_id = 5) const bool all_fit = true;  // false: bins from `words` on are counted in global memory

// [memory]
// Every workgroup has its own.
shared uint own[words];
// [/memory]
shared uint own_outside;

// [count]
void count(uint bin) {
    if (all_fit || bin < words)
        atomicAdd(own[bin], 1);
    else
        atomicAdd(counts[bin], 1);
}
// [/count]

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    // A workgroup without numbers has nothing to clear and nothing to add.
    if (4 * size * gl_WorkGroupID.x >= launch.count) return;
    const uint held = min(launch.bins, words);

    // [clear]
    for (uint bin = lane; bin < held; bin += size)
        own[bin] = 0;
    if (lane == 0) own_outside = 0;
    barrier();
    // [/clear]

    const uint outside = count_my_numbers();
    if (outside > 0) atomicAdd(own_outside, outside);
    barrier();

    // [merge]
    for (uint bin = lane; bin < held;
         bin += size) {
        const uint found = own[bin];
        if (found > 0)
            atomicAdd(counts[bin], found);
    }
    // [/merge]
    if (lane == 0 && own_outside > 0) atomicAdd(ignored, own_outside);
}
