// The second of three launches: one workgroup replaces the sum of each tile by the sum of all tiles before it.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ELEMENT uint
#include "common/subgroups.glsl"

void main() {
    uint before = 0;
    for (uint first = 0; first < launch.count; first += gl_WorkGroupSize.x) {
        if (first > 0) barrier();  // before workgroup memory is reused
        const uint tile = first + gl_LocalInvocationIndex;
        const uint sum = tile < launch.count ? tile_sums[tile] : 0;
        const uint up_to_me = subgroupInclusiveAdd(sum);
        uint total;
        const uint before_subgroup = sum_before_subgroup(subgroupShuffle(up_to_me, lanes - 1), total);
        if (tile < launch.count) tile_sums[tile] = before + before_subgroup + up_to_me - sum;
        before += total;
    }
}
