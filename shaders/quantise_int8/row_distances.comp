#version 450

// The squared distance of each row of bytes from a vector of bytes, by three dot products of four: a difference of two bytes needs
// nine bits, but (q - x)^2 = q q - 2 q x + x x. The invocations of a workgroup go along the row side by side.
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
        int mine = 0;
        for (uint at = rank; at < words_per_row(); at += team) {
            const uint q = word_of_row(row, at), four = word_of_x(at);
            mine += dot_of_four(q, q) - 2 * dot_of_four(q, four) + dot_of_four(four, four);
        }
        const int sum = of_team(mine);
        if (is_first_of_team()) leave(row, sum);
    }
}
