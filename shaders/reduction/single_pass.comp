#version 450
// [build u32] ELEMENT=uint ELEMENT4=uvec4
// [build f32] ELEMENT=float ELEMENT4=vec4

// The whole sum in one launch: as in grid_stride, and then the workgroup that is done last adds up the partial sums.
// No workgroup waits for another. Each takes a ticket when its partial sum is in place, and the one with the last
// ticket knows that all others are.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(constant_id = 1) const bool barrier_after_load = true;  // false: the lesson's deliberate mistake

#include "reduction/quads.glsl"
// coherent: what one workgroup writes, another one reads in the same launch.
layout(std430, binding = 1) coherent buffer PartialSums { ELEMENT partial_sums[]; };
layout(std430, binding = 2) buffer Total { ELEMENT total; };
layout(std430, binding = 3) coherent buffer Ticket { uint tickets_taken; };  // 0 before the launch, and after it

shared ELEMENT sums[gl_WorkGroupSize.x];
shared bool is_last;

// Adds up sums[], once a barrier has made sure that all of it is there; the result is in sums[0].
void add_up_workgroup() {
    const uint lane = gl_LocalInvocationIndex;
    for (uint values = gl_WorkGroupSize.x; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values)
            sums[lane] += sums[lane + keep];
        barrier();
        values = keep;
    }
}

ELEMENT partial_or_zero(uint i) { return i < launch.workgroup_count ? partial_sums[i] : ELEMENT(0); }

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    sums[lane] = sum_of_my_numbers();
    if (barrier_after_load) barrier();
    add_up_workgroup();

    // [ticket]
    if (lane == 0) {
        const uint mine = workgroup();
        partial_sums[mine] = launch.fresh == 1 ? sums[0] : partial_sums[mine] + sums[0];
        memoryBarrierBuffer();  // the partial sum first, the ticket after it
        is_last = is_last_slice() && atomicAdd(tickets_taken, 1) == gl_NumWorkGroups.x - 1;
    }
    barrier();
    if (!is_last) return;  // all invocations of the workgroup agree
    memoryBarrierBuffer();
    // [/ticket]

    // [finish]
    ELEMENT sum = ELEMENT(0);
    for (uint i = lane; i < launch.workgroup_count; i += 4 * size)
        sum += (partial_or_zero(i) + partial_or_zero(i + size)) +
               (partial_or_zero(i + 2 * size) + partial_or_zero(i + 3 * size));
    sums[lane] = sum;
    barrier();
    add_up_workgroup();
    if (lane == 0) {
        total = sums[0];
        tickets_taken = 0;  // ready for the next launch
    }
    // [/finish]
}
