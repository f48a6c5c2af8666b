#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The sum of each workgroup's numbers as in grid_stride, without its tree: the invocations of a subgroup add up their
// sums with one instruction, register to register. Workgroup memory carries one number a subgroup, across one barrier.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common/launch.glsl"

layout(constant_id = 1) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

#include "reduction/quads.glsl"
layout(std430, binding = 1) buffer PartialSums { ELEMENT partial_sums[]; };

// One for each subgroup. How many there are is known only when the kernel runs, but never more than invocations.
shared ELEMENT sums[gl_WorkGroupSize.x];

// Mesa 22's software driver leaves a last subgroup that is not full out of gl_NumSubgroups; elsewhere that is right, and
// there may be more subgroups than it takes to hold all invocations, never fewer.
uint subgroup_count() {
    return max(gl_NumSubgroups, (gl_WorkGroupSize.x + gl_SubgroupSize - 1) / gl_SubgroupSize);
}

void main() {
    // [subgroup]
    const ELEMENT subgroup_sum = subgroupAdd(sum_of_my_numbers());
    if (subgroupElect()) sums[gl_SubgroupID] = subgroup_sum;
    if (barrier_after_load) barrier();
    // [/subgroup]

    // [across]
    if (gl_SubgroupID != 0) return;
    // A workgroup of 1 024 has 128 subgroups of 8: more sums than a subgroup has lanes, so it takes a few rounds.
    const uint lanes = subgroupAdd(1u);  // counted: a small workgroup does not fill its subgroup
    const uint lane = subgroupExclusiveAdd(1u);
    ELEMENT sum = ELEMENT(0);
    for (uint round_start = 0; round_start < subgroup_count(); round_start += lanes)
        if (round_start + lane < subgroup_count()) sum += sums[round_start + lane];
    sum = subgroupAdd(sum);
    // [/across]

    if (subgroupElect()) {
        const uint mine = workgroup();
        partial_sums[mine] = launch.fresh == 1 ? sum : partial_sums[mine] + sum;
    }
}
