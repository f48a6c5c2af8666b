#version 450

// compact_registers, first launch: counts the surviving samples of each tile.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "zero_suppression/tile.glsl"

layout(std430, binding = 1) restrict writeonly buffer TileCounts { uint tile_counts[]; };

void main() {
    for (uint start = gl_WorkGroupID.x * tile_size; start < launch.count; start += launch.workgroup_count * tile_size) {
        load_tile(start);
        uint count = 0;
        [[unroll]] for (uint v = 0; v < vectors; ++v) count += bitCount(masks[v]);
        uint total;
        sum_before_subgroup(subgroupAdd(count), total);
        if (gl_LocalInvocationIndex == 0) tile_counts[place_of(start) / tile_size] = total;
        barrier();  // all have read the sums of the subgroups
    }
}
