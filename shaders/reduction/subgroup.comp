#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of each workgroup's numbers as in grid_stride, with subgroup additions instead of a tree.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/partials.glsl"
#include "common/quads.glsl"
#include "common/workgroup_sum.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

void main() {
    const ELEMENT sum = sum_of_workgroup(sum_of_my_numbers(), barrier_after_load);
    if (is_first()) store_partial_sum(sum);
}
