#version 450

// The numbers that the bytes represent.
//
//     bindings 0 to 2  the matrix of bytes: see bytes.glsl
//     binding 3        restored  f32, launch.columns numbers to a row
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "common/row_team.glsl"
#include "quantise_int8/bytes.glsl"

layout(std430, binding = 3) writeonly buffer Matrix { float restored[]; };

void main() {
    for (uint i = first_row(); i < launch.count; i += step_of_rows()) {
        const uint row = place_of(i);
        for (uint at = rank; at < words_per_row(); at += team) {
            // [restore]
            const vec4 four = step_of(row)
                * vec4(bytes_of(words[row * words_per_row() + at])
                       - zero_point_of(row));
            // [/restore]
            [[unroll]] for (uint k = 0; k < 4; ++k)
                if (4 * at + k < launch.columns) restored[i * launch.columns + 4 * at + k] = four[k];
        }
    }
}
