// All pairs of a position and a source. Each invocation loads all sources, from global memory or a cache.
#include "weight.glsl"

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone) {
        // [pairs]
        const float position = x[i];
        float total = 0.0;
        for (uint j = 0; j < source_count; ++j)
            total += weight(position - source[j]);
        totals[i] = total;
        // [/pairs]
    }
}
