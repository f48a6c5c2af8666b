// The first of three launches: a workgroup stores a tile of scores.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "tile.glsl"

void main() {
    const uint first = gl_WorkGroupID.x * keys_of_tile;
    load_queries();
    load_keys(first, keys);
    store_tile();
    barrier();
    compute_scores(first);
    // [store]
    [[unroll]]
    for (uint j = 0; j < keys_of_lane; ++j) {
        const uint key = first + lane() + 8 * j;
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            const uint query = own_queries()[i];
            if (key < keys && query < queries)
                scores[(head() * queries + query)
                    * keys + key] = of_key[j][i];
        }
    }
    // [/store]
}
