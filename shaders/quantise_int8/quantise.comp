#version 450

// Rounds each number to the nearest level, four bytes per word.
//
//     bindings 0 to 2  the matrix of bytes: see bytes.glsl
//     binding 3        x  f32, launch.columns numbers to a row
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#define WORDS_ACCESS writeonly
#include "common/row_team.glsl"
#include "quantise_int8/bytes.glsl"

layout(std430, binding = 3) readonly buffer Matrix { float x[]; };

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const uint row = place_of(i), begin = i * launch.columns;
        const float step = step_of(row);
        const int zero_point = zero_point_of(row);
        for (uint at = rank; at < words_per_row(); at += team) {
            // [word]
            uint word = 0;
            [[unroll]] for (uint k = 0; k < 4; ++k) {
                const uint column = 4 * at + k;
                if (column >= launch.columns) break;
                const int q =
                    nearest(x[begin + column], step)
                    + zero_point;
                word |= (uint(q) & 0xFFu) << 8 * k;
            }
            // [/word]
            words[row * words_per_row() + at] = word;
        }
    }
}
