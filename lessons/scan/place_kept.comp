// The odd numbers without gaps, in their order. A flag is one bit, so the scan over a subgroup is a count of the bits of a ballot.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define ELEMENT uint
#include "keep.glsl"
#include "common/subgroups.glsl"

void main() {
    const uint i = index_of_number();
    const bool flag = is_kept();
    const uvec4 flags = subgroupBallot(flag);
    uint kept_of_tile;
    const uint before_subgroup = sum_before_subgroup(subgroupBallotBitCount(flags), kept_of_tile);
    const uint place = kept_before[gl_WorkGroupID.x] + before_subgroup + subgroupBallotExclusiveBitCount(flags);
    if (flag) kept[place] = numbers[i];
}
