// Each subgroup scans its numbers in registers. Workgroup memory carries one sum for each subgroup.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ELEMENT uint
#include "common/subgroups.glsl"
#include "tiles.glsl"

void main() {
    for (uint tile = gl_WorkGroupID.x; tile < tile_count(); tile += launch.workgroup_count) {
        if (tile >= launch.workgroup_count) barrier();  // before workgroup memory is reused
        // [scan]
        const uint number = number_of(tile);
        const uint up_to_me =
            subgroupInclusiveAdd(number);
        const uint of_subgroup =
            subgroupShuffle(up_to_me, lanes - 1);
        uint total;
        const uint before =
            sum_before_subgroup(of_subgroup, total);
        const uint sum = before + up_to_me;
        // [/scan]
        if (is_in_array(tile)) sums[index_in(tile)] = kind == 0 ? sum : sum - number;
    }
}
