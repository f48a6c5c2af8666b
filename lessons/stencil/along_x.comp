// The first of two launches: the filter along the rows.
#extension GL_EXT_control_flow_attributes : require
#include "clamped.glsl"
#include "weights.glsl"

void main() {
    const ivec2 me = place();
    if (!exists(me)) return;
    // [filter]
    float sum = 0.0;
    [[unroll]] for (int i = 0; i < 5; ++i)
        sum += weights[i]
            * x[index_of(me.x + i - 2, me.y)];
    across[index_of(me.x, me.y)] = sum;
    // [/filter]
}
