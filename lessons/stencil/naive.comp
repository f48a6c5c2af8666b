// A filter of 5 x 5 numbers: each invocation loads all of them.
#extension GL_EXT_control_flow_attributes : require
#include "clamped.glsl"
#include "weights.glsl"

void main() {
    const ivec2 me = place();
    if (!exists(me)) return;
    // [filter]
    float sum = 0.0;
    [[unroll]] for (int i = 0; i < 5; ++i)
        [[unroll]] for (int j = 0; j < 5; ++j)
            sum += weights[i] * weights[j]
                * x[index_of(me.x + j - 2,
                             me.y + i - 2)];
    filtered[index_of(me.x, me.y)] = sum;
    // [/filter]
}
