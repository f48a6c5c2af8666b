#version 450

// The norm of each row by loads of 16 bytes. A subgroup goes through a row alone, so that no invocation waits at a barrier; where
// there are few rows, and long ones, all subgroups of a workgroup share one.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define NUMBER vec4
#define ELEMENT float
#include "coalescing/rows.glsl"
#include "reduction/across.glsl"

// Of a workgroup: one for each subgroup, or 1, which all share.
layout(constant_id = 3) const uint rows_at_once = 1;

// Rows need not begin where a quad does: what belongs to a neighbour does not count.
float squares_in_row(vec4 quad, uint q, uint begin, uint end) {
    const uvec4 i = 4 * q + uvec4(0, 1, 2, 3);
    const vec4 own = mix(vec4(0), quad, lessThan(i - begin, uvec4(end - begin)));
    return dot(own, own);
}

// The sum of the squares of every `team`-th quad of a row, from the first but `me` on.
float squares_of(uint row, uint me, uint team) {
    const uint begin = begin_of(row), end = end_of(row), quads_end = (end + 3) / 4;
    float sum = 0.0;
    for (uint q = begin / 4 + me; q < quads_end; q += 4 * team) {
        // All four are on their way before the first is used.
        const uint r = q + team, s = r + team, t = s + team;
        vec4 second = vec4(0), third = vec4(0), fourth = vec4(0);
        const vec4 first = x[q];
        if (r < quads_end) second = x[r];
        if (s < quads_end) third = x[s];
        if (t < quads_end) fourth = x[t];
        sum += (squares_in_row(first, q, begin, end) + squares_in_row(second, r, begin, end))
             + (squares_in_row(third, s, begin, end) + squares_in_row(fourth, t, begin, end));
    }
    return sum;
}

void main() {
    const uint rows = row_count(), step_of_grid = launch.workgroup_count * rows_at_once;
    for (uint first = gl_WorkGroupID.x * rows_at_once; first < rows; first += step_of_grid) {
        if (rows_at_once == 1) {
            const float sum = sum_of_workgroup(
                squares_of(first, gl_LocalInvocationIndex, gl_WorkGroupSize.x), true);
            if (is_first()) leave_norm(first, sum);
            barrier();  // before workgroup memory is used for the next row
            continue;
        }
        // [row]
        const uint end = min(first + rows_at_once, rows);
        for (uint row = first + gl_SubgroupID; row < end;
             row += subgroup_count()) {
            const float sum = subgroupAdd(
                squares_of(row, lane, lanes));
            if (subgroupElect()) leave_norm(row, sum);
        }
        // [/row]
    }
}
