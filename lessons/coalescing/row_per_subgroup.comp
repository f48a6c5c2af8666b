// The norm of each row by loads of 16 bytes. A subgroup processes a row alone, so that no invocation waits at a barrier. If there
// are few rows and they are long, all subgroups of a workgroup share one. rows_at_once is the number of rows of a workgroup.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define ELEMENT float
#include "rows.glsl"
#include "common/workgroup_sum.glsl"

// For a quad that a row shares with its neighbour: the squares of this row's numbers only.
float squares_in_row(uint q, uint begin, uint end) {
    const uvec4 i = 4 * q + uvec4(0, 1, 2, 3);
    const vec4 own = mix(vec4(0), x[q], lessThan(i - begin, uvec4(end - begin)));
    return dot(own, own);
}

// Returns the sum of the squares of every `team`-th quad of a row, starting at the first plus `rank`.
float squares_of(uint row, uint rank, uint team) {
    const uint begin = begin_of(row), end = end_of(row);
    // Quads that belong to the row alone are not checked number by number, which would take longer than loading them.
    const uint own_end = end / 4;
    float sum = 0.0;
    uint q = (begin + 3) / 4 + rank;
    for (; q + 3 * team < own_end; q += 4 * team) {
        // All four loads are in flight before the first value is used.
        const vec4 a = x[q], b = x[q + team], c = x[q + 2 * team], d = x[q + 3 * team];
        sum += (dot(a, a) + dot(b, b)) + (dot(c, c) + dot(d, d));
    }
    // Up to three quads are left per invocation; a short row has no others.
    vec4 a = vec4(0), b = a, c = a;
    if (q < own_end) a = x[q];
    if (q + team < own_end) b = x[q + team];
    if (q + 2 * team < own_end) c = x[q + 2 * team];
    sum += dot(a, a) + dot(b, b) + dot(c, c);

    if (rank == 0 && begin % 4 != 0) sum += squares_in_row(begin / 4, begin, end);
    if (rank == 0 && end % 4 != 0 && (begin % 4 == 0 || begin / 4 != end / 4)) sum += squares_in_row(end / 4, begin, end);
    return sum;
}

void main() {
    const uint rows = row_count(), step_of_grid = launch.workgroup_count * rows_at_once;
    for (uint first = gl_WorkGroupID.x * rows_at_once; first < rows; first += step_of_grid) {
        if (rows_at_once == 1) {
            const float sum = sum_of_workgroup(
                squares_of(first, gl_LocalInvocationIndex, gl_WorkGroupSize.x), true);
            if (is_first()) store_norm(first, sum);
            barrier();  // before workgroup memory is reused for the next row
            continue;
        }
        // [row]
        const uint end = min(first + rows_at_once, rows);
        for (uint row = first + gl_SubgroupID; row < end;
             row += subgroup_count()) {
            const float sum = subgroupAdd(
                squares_of(row, lane, lanes));
            if (subgroupElect()) store_norm(row, sum);
        }
        // [/row]
    }
}
