// Like tiled.comp, but several workgroups share the keys of a tile of queries. Each stores what it has:
// results that are not divided yet, with their maximum and sum.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "attend.glsl"

void main() {
    // [part]
    // All parts have the same number of tiles.
    const uint tiles = (end_of_keys()
        + keys_of_tile - 1) / keys_of_tile;
    const uint each =
        (tiles + parts - 1) / parts * keys_of_tile;
    const uint begin = gl_WorkGroupID.x * each;
    attend(begin, min(begin + each, end_of_keys()));
    // [/part]
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uint query = own_queries()[i];
        if (query < queries) {
            const uint row = (gl_WorkGroupID.x * heads + head()) * queries + query;
            [[unroll]] for (uint r = 0; r < quads_of_lane; ++r)
                part_results[row * quads + lane() + 8 * r] = result[r][i];
            if (lane() == 0) {
                part_max[row] = m[i];
                part_sums[row] = sum[i];
            }
        }
    }
}
