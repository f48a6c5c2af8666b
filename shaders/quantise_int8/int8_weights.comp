#version 450
// [build padded] IS_PADDED=1
// [build unpadded] IS_UNPADDED=1

// The product of one-byte weights with f32 vectors: a load of 4 bytes returns four weights, which are converted to f32 before they
// are multiplied.
//
//     bindings 0 to 2  the weights: see bytes.glsl
//     binding 3        x  f32, vectors of launch.columns numbers, each padded with 0 to a multiple of four or one behind the other
//     binding 4        y  f32, vectors of one number for each row
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common/row_team.glsl"
#include "quantise_int8/bytes.glsl"
#define Part float
#include "quantise_int8/product.glsl"

#ifdef IS_PADDED
layout(std430, binding = 3) readonly buffer Vectors { vec4 x[]; };
vec4 x_at(uint vector, uint at) { return x[vector * words_per_row() + at]; }
#else
layout(std430, binding = 3) readonly buffer Vectors { float x[]; };
vec4 x_at(uint vector, uint at) {
    vec4 four = vec4(0);
    [[unroll]] for (uint k = 0; k < 4; ++k)
        if (4 * at + k < launch.columns) four[k] = x[vector * launch.columns + 4 * at + k];
    return four;
}
#endif
layout(std430, binding = 4) writeonly buffer Results { float y[]; };

void multiply(uint row, uint from) {
    const uint count = words_per_row(), begin = row * count;
    const int zero_point = zero_point_of(row);
    float sums[vectors];
    [[unroll]] for (uint v = 0; v < vectors; ++v) sums[v] = 0.0;
    for (uint first = rank; first < count; first += at_once * team) {
        uint word[at_once];
        [[unroll]] for (uint k = 0; k < at_once; ++k) {
            const uint at = first + k * team;
            if (at < count) word[k] = words[begin + at];
        }
        [[unroll]] for (uint k = 0; k < at_once; ++k) {
            const uint at = first + k * team;
            if (at >= count) break;
            // [weights]
            const vec4 four =
                vec4(bytes_of(word[k]) - zero_point);
            [[unroll]] for (uint v = 0; v < vectors; ++v)
                sums[v] += dot(four, x_at(from + v, at));
            // [/weights]
        }
    }
    [[unroll]] for (uint v = 0; v < vectors; ++v) {
        const float sum = step_of(row) * of_team(sums[v]);
        if (is_first_of_team()) y[(from + v) * launch.total + row] = sum;
    }
}

void main() {
    for (uint i = first_row_in_any_column(); i < launch.count; i += step_of_rows())
        for (uint v = first_vector(); v < all_vectors; v += step_of_vectors())
            multiply(place_of(i), first_of_group(v));
}
