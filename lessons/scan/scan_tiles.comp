// The third of three launches: each workgroup loads its tile again, scans it, and adds the sum of all tiles before it.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define ELEMENT uint
#define ELEMENT4 uvec4
#define NUMBERS numbers
#define SUMS sums
#include "vectors.glsl"

void main() {
    const uint tile = gl_WorkGroupID.x;
    load(tile);
    uint total;
    const uint before_subgroup = sum_before_subgroup(scan_in_subgroup(), total);
    store(tile, tile_sums[tile] + before_subgroup);
}
