// The first of three launches: a workgroup stores a tile of scores.
#extension GL_EXT_control_flow_attributes : require
#include "tile.glsl"

void main() {
    const uint first = gl_WorkGroupID.x * keys_of_tile;
    load_queries();
    load_keys(first);
    barrier();
    const mat4 s = scores_of_tile(first);
    // [store]
    [[unroll]] for (uint j = 0; j < 4; ++j) {
        const uint key = first + lane() + 8 * j;
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            const uint query = own_queries()[i];
            if (key < keys && query < queries)
                scores[query * keys + key] = s[j][i];
        }
    }
    // [/store]
}
