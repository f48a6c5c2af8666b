// Like tile.comp, with one array. Each workgroup has loaded its own numbers before it replaces them.
// But the numbers of its halo belong to other workgroups: a deliberate mistake.
#extension GL_EXT_control_flow_attributes : require
#include "clamped.glsl"
#include "weights.glsl"
#include "tile.glsl"

void main() {
    const uint invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    const ivec2 me = place();
    // [replace]
    for (uint i = gl_LocalInvocationIndex;
         i < height * width; i += invocations)
        tile[i] = filtered[source_of(i)];
    barrier();
    if (exists(me))
        filtered[index_of(me.x, me.y)] =
            filter_tile();
    // [/replace]
}
