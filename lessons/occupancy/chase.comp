// Each invocation follows several chains at once. A load needs what the load before it in the same chain has found, but no other one.
#extension GL_EXT_control_flow_attributes : require
#include "chains.glsl"

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint first = gl_GlobalInvocationID.x; first < launch.count; first += loads_in_flight * grid) {
        // [follow]
        uint at[loads_in_flight];
        [[unroll]]
        for (uint k = 0; k < loads_in_flight; ++k)
            at[k] = start_of(first + k * grid);

        for (uint step = 0; step < steps; ++step)
            [[unroll]]
            for (uint k = 0; k < loads_in_flight; ++k)
                at[k] = next[at[k]];
        // [/follow]
        [[unroll]]
        for (uint k = 0; k < loads_in_flight; ++k) {
            const uint e = first + k * grid;
            if (e < launch.count) last[e] = at[k];
        }
    }
}
