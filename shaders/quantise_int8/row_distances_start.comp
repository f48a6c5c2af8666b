#version 450

// For each row the sum of (q - x)^2, over its bytes q and those of the vector x.
// word_rows.glsl has word_of_row(), word_of_x(), words_per_row() and leave();
// dot_of_four(a, b) is the dot product of four bytes with four, and bytes_of(word) unpacks.
// of_team.glsl adds up a number of each invocation of the workgroup: of_team(mine).
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "quantise_int8/word_rows.glsl"

#define Part int
int nothing() { return 0; }
int merged(int a, int b) { return a + b; }
int of_subgroup(int mine) { return subgroupAdd(mine); }
#include "common/of_team.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        // TODO: one invocation goes over the whole row while the others wait.
        // And words are subtracted here, so that a byte borrows from the next.
        if (rank > 0) continue;
        int sum = 0;
        for (uint at = 0; at < words_per_row(); ++at) {
            const uint apart = word_of_row(row, at) - word_of_x(at);
            sum += dot_of_four(apart, apart);
        }
        leave(row, sum);
    }
}
