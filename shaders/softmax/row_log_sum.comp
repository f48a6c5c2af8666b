#version 450

// The logarithm of the sum of exp(x) over each row, in one pass. Each invocation has the maximum m of its own numbers so far and the
// sum of exp(x - m). Two such parts are merged by rescaling both to the larger m.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "softmax/log_sums.glsl"

struct Part {
    float m, sum;
};
Part nothing() { return Part(lowest, 0.0); }

Part merged(Part a, Part b) {
    const float m = max(a.m, b.m);
    return Part(m, a.sum * exp(a.m - m) + b.sum * exp(b.m - m));
}
Part of_subgroup(Part mine) {
    const float m = subgroupMax(mine.m);
    return Part(m, subgroupAdd(mine.sum * exp(mine.m - m)));
}
#include "common/of_team.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        Part mine = nothing();
        for (uint column = rank; column < launch.columns; column += team)
            mine = merged(mine, Part(number_at(row, column), 1.0));

        const Part all = of_team(mine);
        if (is_first_of_team()) leave(row, all.m + log(all.sum));
    }
}
