// The last of three launches: the matrix of probabilities times the values.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "tile.glsl"

void main() {
    [[unroll]] for (uint r = 0; r < quads_of_lane; ++r) result[r] = mat4(0.0);
    // [product]
    for (uint first = 0; first < keys;
         first += keys_of_tile) {
        load_values(first);
        store_tile();
        [[unroll]]
        for (uint j = 0; j < keys_of_lane; ++j) {
            const uint key = first + lane() + 8 * j;
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                const uint query = own_queries()[i];
                const uint row =
                    head() * queries + query;
                of_key[j][i] =
                    key < keys && query < queries
                    ? scores[row * keys + key] : 0.0;
            }
        }
        barrier();
        add_values();
        barrier();
    }
    // [/product]
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint query = own_queries()[i];
        if (query < queries)
            [[unroll]] for (uint r = 0; r < quads_of_lane; ++r)
                results[(head() * queries + query) * quads + lane() + 8 * r] = result[r][i];
    }
}
