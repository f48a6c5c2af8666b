// How the kernels of this lesson traverse a row-major matrix of launch.columns numbers per row and launch.count rows. A team
// (common/row_team.glsl) processes a row from left to right in rounds. Each round loads several quads (loads of 16 bytes)
// into the registers of each invocation of the team.
//
// The includer requires the subgroup extensions and GL_EXT_control_flow_attributes, and defines a neutral value for numbers outside
// the row:
//     #define NOTHING 0.0
#include "common/row_team.glsl"

layout(constant_id = 4) const uint quads_each = 1;        // that an invocation holds in registers at a time
layout(constant_id = 5) const bool rows_of_quads = false; // a row is a whole number of quads, so no quad spans two rows

layout(std430, binding = 0) readonly buffer Matrix { vec4 x[]; };

// A row, or a part of one: its numbers, and the quads that contain them.
struct Row {
    uint begin, end;
    int first_quad, end_quad;
    uint rounds;
};
Row row_of_range(uint begin, uint end) {
    const uint first_quad = begin / 4, end_quad = (end + 3) / 4, in_round = quads_each * team;
    return Row(begin, end, int(first_quad), int(end_quad), (end_quad - first_quad + in_round - 1) / in_round);
}
Row row_at(uint row) { return row_of_range(row * launch.columns, (row + 1) * launch.columns); }

// The quad of this invocation in a round: neighbours have adjacent quads. Rounds are counted from the end of the row, and the
// first one processed, number `rounds - 1`, may be incomplete.
int quad_of(Row row, uint round, uint k) {
    return row.end_quad - int((round + 1) * quads_each * team) + int(k * team + rank);
}

// Which of a quad's four numbers are in the row.
bvec4 in_row(Row row, int q) {
    return lessThan(4 * uint(q) + uvec4(0, 1, 2, 3) - row.begin, uvec4(row.end - row.begin));
}
// The quad may contain numbers of another row.
bool is_shared(Row row, int q) { return !rows_of_quads && (q == row.first_quad || q == row.end_quad - 1); }

// The quads of the latest round. Their number is known when the kernel is compiled, so that they stay in registers.
vec4 held[quads_each];

// [load]
void load(Row row, uint round) {
    // All loads are in flight before the first
    // value is used.
    [[unroll]] for (uint k = 0; k < quads_each;
                    ++k) {
        const int q = quad_of(row, round, k);
        held[k] = q >= row.first_quad
            ? x[q] : vec4(NOTHING);
    }
    // [/load]
    if (rows_of_quads) return;
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const int q = quad_of(row, round, k);
        if (is_shared(row, q)) held[k] = mix(vec4(NOTHING), held[k], in_row(row, q));
    }
}
