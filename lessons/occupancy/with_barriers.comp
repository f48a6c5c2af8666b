// Each invocation follows a chain, and waits at a barrier after each load.
#include "chains.glsl"

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint grid = launch.workgroup_count * size;
    for (uint first = gl_WorkGroupID.x * size; first < launch.count; first += grid) {
        const uint e = first + gl_LocalInvocationIndex;
        // [follow]
        uint at = start_of(e);
        for (uint step = 0; step < steps; ++step) {
            at = next[at];
            barrier();
        }
        // [/follow]
        if (e < launch.count) last[e] = at;
    }
}
