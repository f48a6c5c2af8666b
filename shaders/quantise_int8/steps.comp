#version 450

// Computes scales and zero points from the ranges of rows, in a single workgroup; its elements are the rows. A single scale is
// computed from the range of all rows.
//
//     binding 0  ranges       two f32 for each row
//     binding 1  steps        see bytes.glsl
//     binding 2  zero_points
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/row_team.glsl"
#include "quantise_int8/rounding.glsl"

layout(std430, binding = 0) readonly buffer Ranges { vec2 ranges[]; };
layout(std430, binding = 1) writeonly buffer Steps { float steps[]; };
layout(std430, binding = 2) writeonly buffer ZeroPoints { int zero_points[]; };

#define Part vec2
Part nothing() { return vec2(0); }
Part merged(Part a, Part b) { return vec2(min(a.x, b.x), max(a.y, b.y)); }
Part of_subgroup(Part mine) { return vec2(subgroupMin(mine.x), subgroupMax(mine.y)); }
#include "common/of_team.glsl"

// [symmetric]
float step_about_zero(vec2 range) {
    return step_for(max(-range.x, range.y),
                    inverse_of_127);
}
// [/symmetric]

void main() {
    vec2 range = nothing();
    for (uint row = gl_LocalInvocationIndex; row < launch.count; row += invocations) {
        range = merged(range, ranges[row]);
        if (scheme == by_row) {
            steps[row] = step_about_zero(ranges[row]);
            zero_points[row] = 0;
        }
    }
    range = of_team(range);
    if (scheme == by_row || gl_LocalInvocationIndex > 0) return;
    if (scheme == symmetric) {
        steps[0] = step_about_zero(range);
        zero_points[0] = 0;
        return;
    }
    // [zero]
    const float step =
        step_for(range.y - range.x, inverse_of_255);
    steps[0] = step;
    // The smallest number becomes byte -128.
    zero_points[0] = -128 - nearest(range.x, step);
    // [/zero]
}
