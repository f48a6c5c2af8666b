// A filter of 5 x 5 numbers that takes them from a tile in workgroup memory.
#extension GL_EXT_control_flow_attributes : require
#include "clamped.glsl"
#include "weights.glsl"
#include "tile.glsl"

void main() {
    // [load]
    const uint invocations =
        gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    for (uint i = gl_LocalInvocationIndex;
         i < height * width; i += invocations)
        tile[i] = x[source_of(i)];
    barrier();
    // [/load]
    const ivec2 me = place();
    if (exists(me)) filtered[index_of(me.x, me.y)] = filter_tile();
}
