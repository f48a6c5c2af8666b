// The first of three launches: each workgroup stores the sum of its tile.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ELEMENT uint
#define ELEMENT4 uvec4
#define NUMBERS numbers
#include "vectors.glsl"

void main() {
    const uint tile = gl_WorkGroupID.x;
    load(tile);
    uvec4 sum = uvec4(0);
    [[unroll]] for (uint v = 0; v < vectors; ++v) sum += values[v];
    uint total;
    sum_before_subgroup(subgroupAdd(sum.x + sum.y + sum.z + sum.w), total);
    if (gl_LocalInvocationIndex == 0) tile_sums[tile] = total;
}
