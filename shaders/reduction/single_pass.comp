#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The whole sum in one launch: as in subgroup, and then the last workgroup to finish adds up the partial sums.
// No workgroup waits for another. Each takes a ticket after it has stored its partial sum, and the one with the last
// ticket knows that all others are stored.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define TICKET_BINDING 3
#include "common/partials.glsl"
#include "common/quads.glsl"
#include "common/ticket.glsl"
#include "common/workgroup_sum.glsl"

layout(constant_id = 3) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

layout(std430, binding = 2) buffer Total { ELEMENT total; };

ELEMENT partial_or_zero(uint i) { return i < launch.workgroup_count ? partial_sums[i] : ELEMENT(0); }

// Loads partial sums i, i + lanes, i + 2 lanes, i + 3 lanes.
ELEMENT sum_of_four(uint i) {
    return (partial_or_zero(i) + partial_or_zero(i + lanes)) +
           (partial_or_zero(i + 2 * lanes) + partial_or_zero(i + 3 * lanes));
}

void main() {
    const ELEMENT sum = sum_of_workgroup(sum_of_my_numbers(), barrier_after_load);
    if (gl_SubgroupID != 0) return;  // the first subgroup does the rest

    // [ticket]
    uint is_last = 0;
    if (subgroupElect()) {
        store_partial_sum(sum);
        // Takes a ticket.
        is_last = is_done_last() ? 1 : 0;
    }
    is_last = subgroupBroadcastFirst(is_last);
    // The other lanes load only after this one.
    subgroupBarrier();
    if (is_last == 0) return;
    // [/ticket]

    // [finish]
    ELEMENT rest = ELEMENT(0);
    for (uint i = lane; i < launch.workgroup_count; i += 16 * lanes)
        rest += (sum_of_four(i) + sum_of_four(i + 4 * lanes)) + (sum_of_four(i + 8 * lanes) + sum_of_four(i + 12 * lanes));
    rest = subgroupAdd(rest);
    if (subgroupElect()) total = rest;
    // [/finish]
}
