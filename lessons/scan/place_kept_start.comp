// Store the odd numbers without gaps, in their order. kept_before[t] is the number of odd
// numbers in all tiles before tile t.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ELEMENT uint
#include "keep.glsl"
#include "common/subgroups.glsl"

void main() {
    const uint i = index_of_number(), first = kept_before[gl_WorkGroupID.x];
    // Your turn: this leaves gaps. How many numbers are kept in this tile, before this one?
    const uint kept_in_tile = gl_LocalInvocationIndex;
    if (is_kept()) kept[first + kept_in_tile] = numbers[i];
}
