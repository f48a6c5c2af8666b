#version 450

// compact_registers, second launch, one workgroup: replaces the count of each tile by the sum of the counts before it. The sum
// of all is the number of survivors.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "common/launch.glsl"
#define ELEMENT uint
#include "common/subgroups.glsl"

layout(std430, binding = 0) restrict buffer TileCounts { uvec4 tile_counts[]; };  // four per load
layout(std430, binding = 1) restrict buffer KeptCount { uint kept_count; };

shared uint kept_before;

void main() {
    // The sum of the previous tiles' counts, initially 0. Only invocation 0 accesses it in memory.
    if (gl_LocalInvocationIndex == 0) kept_before = place_of(0) == 0 ? 0 : kept_count;
    barrier();
    uint before = kept_before;

    for (uint start = 0; start < launch.count; start += 4 * gl_WorkGroupSize.x) {
        const uint i = start / 4 + gl_LocalInvocationIndex;
        const bool here = 4 * i < launch.count;
        // Tiles past the last one count as 0, whatever their memory contains.
        const bvec4 is_tile = lessThan(4 * i + uvec4(0, 1, 2, 3), uvec4(launch.count));
        const uvec4 counts = here ? mix(uvec4(0), tile_counts[i], is_tile) : uvec4(0);
        uvec4 place = uvec4(0, counts.x, counts.x + counts.y, counts.x + counts.y + counts.z);
        const uint mine = place.w + counts.w;
        const uint up_to_me = subgroupInclusiveAdd(mine);
        uint total;
        const uint before_subgroup = sum_before_subgroup(subgroupShuffle(up_to_me, lanes - 1), total);
        if (here) tile_counts[i] = place + (before + before_subgroup + up_to_me - mine);
        before += total;
        barrier();  // all have read the sums of the subgroups
    }
    if (gl_LocalInvocationIndex == 0) kept_count = before;
}
