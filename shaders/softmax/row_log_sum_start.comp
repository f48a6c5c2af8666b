#version 450

// The logarithm of the sum of exp(x) over each row, which all invocations of a
// workgroup share. log_sums.glsl has number_at(), leave() and lowest, and
// of_team.glsl merges the parts of the invocations.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "softmax/log_sums.glsl"

// Of some numbers of a row: m, and the sum of exp(number - m).
struct Part {
    float m, sum;
};
Part nothing() { return Part(0.0, 0.0); }  // the part of no numbers

// TODO: exp() of large numbers is infinite, and so are these sums, because m
// is always 0.
Part merged(Part a, Part b) { return Part(0.0, a.sum + b.sum); }
Part of_subgroup(Part mine) { return Part(0.0, subgroupAdd(mine.sum)); }
#include "common/of_team.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        Part mine = nothing();
        for (uint column = rank; column < launch.columns; column += team)
            mine.sum += exp(number_at(row, column));

        const Part all = of_team(mine);
        if (is_first_of_team()) leave(row, all.m + log(all.sum));
    }
}
