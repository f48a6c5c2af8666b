// The second of two launches: the filter along the columns of what the first one has stored.
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
            * across[index_of(me.x, me.y + i - 2)];
    filtered[index_of(me.x, me.y)] = sum;
    // [/filter]
}
