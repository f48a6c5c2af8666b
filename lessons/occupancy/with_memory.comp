// Each workgroup has memory_kib KiB of workgroup memory, and uses some of it. 256 numbers of 4 bytes are 1 KiB.
#include "chains.glsl"

// [memory]
shared uint found[256 * memory_kib];
// [/memory]

void main() {
    const uint size = gl_WorkGroupSize.x, own = gl_LocalInvocationIndex;
    const uint grid = launch.workgroup_count * size;
    for (uint first = gl_WorkGroupID.x * size; first < launch.count; first += grid) {
        const uint e = first + own;
        // [follow]
        uint at = start_of(e);
        for (uint step = 0; step < steps; ++step)
            at = next[at];
        // [/follow]

        // Each invocation stores what another one has found.
        found[own] = at;
        barrier();
        const uint other = size - 1 - own;
        if (first + other < launch.count) last[first + other] = found[other];
        barrier();
    }
}
