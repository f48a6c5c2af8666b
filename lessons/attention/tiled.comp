// One launch: a workgroup has a tile of queries and goes over all keys. No score leaves it.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "attend.glsl"

void main() {
    attend(0, end_of_keys());
    // [store]
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint query = own_queries()[i];
        if (query < queries)
            [[unroll]] for (uint r = 0;
                            r < quads_of_lane; ++r)
                results[(head() * queries + query) * quads
                    + lane() + 8 * r] =
                    result[r][i] / sum[i];
    }
    // [/store]
}
