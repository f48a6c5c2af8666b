// The last of three launches: the matrix of probabilities times the values.
#extension GL_EXT_control_flow_attributes : require
#include "tile.glsl"

void main() {
    [[unroll]] for (uint r = 0; r < quads_of_lane; ++r) result[r] = mat4(0.0);
    // [product]
    for (uint first = 0; first < keys;
         first += keys_of_tile) {
        mat4 weights = mat4(0.0);
        [[unroll]] for (uint j = 0; j < 4; ++j) {
            const uint key = first + lane() + 8 * j;
            [[unroll]] for (uint i = 0; i < 4; ++i) {
                const uint query = own_queries()[i];
                if (key < keys && query < queries)
                    weights[j][i] =
                        scores[query * keys + key];
            }
        }
        store_weights(weights);
        load_values(first);
        barrier();
        add_values();
        barrier();
    }
    // [/product]
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint query = own_queries()[i];
        if (query < queries)
            [[unroll]] for (uint r = 0; r < quads_of_lane; ++r)
                results[query * quads + lane() + 8 * r] = result[r][i];
    }
}
