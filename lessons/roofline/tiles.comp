// All pairs. A workgroup loads as many sources as it has invocations into workgroup memory, and each invocation reads all of
// them there. Then comes the next tile.
#include "weight.glsl"

shared float tile[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x, me = gl_LocalInvocationIndex;
    for (uint first = gl_WorkGroupID.x * size; first < launch.count; first += launch.workgroup_count * size) {
        // An invocation without a position still loads sources, and waits at each barrier.
        const uint i = first + me;
        float position = 0.0;
        if (i < launch.count) position = x[i];
        float total = 0.0;
        // [tiles]
        for (uint begin = 0; begin < source_count;
             begin += size) {
            const uint count =
                min(size, source_count - begin);
            if (me < count)
                tile[me] = source[begin + me];
            barrier();
            for (uint j = 0; j < count; ++j)
                total += weight(position - tile[j]);
            barrier();
        }
        // [/tiles]
        if (i < launch.count) totals[i] = total;
    }
}
