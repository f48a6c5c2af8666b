// Sorts the numbers of each tile by their lowest bit and keeps their order besides: a step of a radix sort.
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
        const uint first = tile * gl_WorkGroupSize.x;
        // [sort]
        const bool exists = is_in_array(tile);
        const uint number = number_of(tile);
        const uint is_even =
            exists ? 1 - number % 2 : 0;
        const uint up_to_me =
            subgroupInclusiveAdd(is_even);
        const uint of_subgroup =
            subgroupShuffle(up_to_me, lanes - 1);
        uint even_count;
        const uint before = up_to_me - is_even
            + sum_before_subgroup(
                  of_subgroup, even_count);
        const uint me = gl_LocalInvocationIndex;
        const uint place = is_even == 1
            ? before : even_count + me - before;
        if (exists)
            by_bit[first + place] = number;
        // [/sort]
    }
}
