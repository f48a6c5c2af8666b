#version 450

// The product with unquantized weights: a load of 4 bytes returns one.
//
//     binding 0  weights  f32, launch.columns numbers to a row
//     binding 1  x        f32, vectors of launch.columns numbers, each begins at a multiple of four
//     binding 2  y        f32, vectors of one number for each row
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/row_team.glsl"
#define Part float
#include "quantise_int8/product.glsl"

layout(std430, binding = 0) readonly buffer Matrix { float weights[]; };
layout(std430, binding = 1) readonly buffer Vectors { float x[]; };
layout(std430, binding = 2) writeonly buffer Results { float y[]; };

void main() {
    const uint columns = launch.columns, pitch = (columns + 3) / 4 * 4;
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        float sums[vectors];
        [[unroll]] for (uint v = 0; v < vectors; ++v) sums[v] = 0.0;
        for (uint first = rank; first < columns; first += at_once * team) {
            float weight[at_once];
            [[unroll]] for (uint k = 0; k < at_once; ++k) {
                const uint at = first + k * team;
                if (at < columns) weight[k] = weights[i * columns + at];
            }
            [[unroll]] for (uint k = 0; k < at_once; ++k) {
                const uint at = first + k * team;
                if (at >= columns) break;
                // [product]
                [[unroll]] for (uint v = 0; v < vectors; ++v)
                    sums[v] += weight[k] * x[v * pitch + at];
                // [/product]
            }
        }
        [[unroll]] for (uint v = 0; v < vectors; ++v) {
            const float sum = of_team(sums[v]);
            if (is_first_of_team()) y[v * launch.total + place_of(i)] = sum;
        }
    }
}
