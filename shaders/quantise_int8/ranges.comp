#version 450

// The smallest and the largest number of each row, including 0, which must be represented exactly.
//
//     binding 0  x       f32, launch.columns numbers to a row
//     binding 1  ranges  two f32 for each row
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/row_team.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float x[]; };
layout(std430, binding = 1) writeonly buffer Ranges { vec2 ranges[]; };

#define Part vec2
Part nothing() { return vec2(0); }
Part merged(Part a, Part b) { return vec2(min(a.x, b.x), max(a.y, b.y)); }
Part of_subgroup(Part mine) { return vec2(subgroupMin(mine.x), subgroupMax(mine.y)); }
#include "common/of_team.glsl"

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        // [range]
        vec2 range = nothing();
        for (uint at = rank; at < launch.columns; at += team)
            range = merged(range, x[i * launch.columns + at].xx);
        range = of_team(range);
        // [/range]
        if (is_first_of_team()) ranges[place_of(i)] = range;
    }
}
