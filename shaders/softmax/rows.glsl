// How the kernels of this lesson go over a matrix whose rows stand one behind another in memory: launch.columns numbers to a row,
// launch.count rows. A row is done by a team (common/row_team.glsl). It goes from left to right in rounds; each brings so many
// quads, loads of 16 bytes, into the registers of each invocation of the team.
//
// The includer requires the subgroup extensions and GL_EXT_control_flow_attributes, and says what stands for a number that is not
// there:
//     #define NOTHING 0.0
#include "common/row_team.glsl"

layout(constant_id = 4) const uint quads_each = 1;        // that an invocation has in its registers at a time
layout(constant_id = 5) const bool rows_of_quads = false; // a row is a whole number of quads, so no quad has two rows in it

layout(std430, binding = 0) readonly buffer Matrix { vec4 x[]; };

// Where a row stands: its numbers, and the quads that hold them.
struct Row {
    uint begin, end;
    int first_quad, end_quad;
    uint rounds;
};
Row row_at(uint row) {
    const uint begin = row * launch.columns, end = begin + launch.columns;
    const uint first_quad = begin / 4, end_quad = (end + 3) / 4, in_round = quads_each * team;
    return Row(begin, end, int(first_quad), int(end_quad), (end_quad - first_quad + in_round - 1) / in_round);
}

// Which quad is this invocation's in a round: neighbours have neighbouring ones. Rounds are counted from the end of the row, and
// it is the first of them, number `rounds - 1`, that is perhaps not full.
int quad_of(Row row, uint round, uint k) {
    return row.end_quad - int((round + 1) * quads_each * team) + int(k * team + me);
}

// Of a quad's four numbers, which are in the row.
bvec4 in_row(Row row, int q) {
    return lessThan(4 * uint(q) + uvec4(0, 1, 2, 3) - row.begin, uvec4(row.end - row.begin));
}
// There may be numbers of another row in it.
bool is_shared(Row row, int q) { return !rows_of_quads && (q == row.first_quad || q == row.end_quad - 1); }

// The quads of the latest round: as many as are known when the kernel is compiled, so that they are registers.
vec4 held[quads_each];

// [load]
void load(Row row, uint round) {
    // All are on their way before the first is
    // used.
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const int q = quad_of(row, round, k);
        held[k] = q >= row.first_quad ? x[q]
                                      : vec4(NOTHING);
    }
    // [/load]
    if (rows_of_quads) return;
    [[unroll]] for (uint k = 0; k < quads_each; ++k) {
        const int q = quad_of(row, round, k);
        if (is_shared(row, q)) held[k] = mix(vec4(NOTHING), held[k], in_row(row, q));
    }
}
