#version 450
// [build instruction] BY_INSTRUCTION=1
// [build shifts] BY_SHIFTS=1

// The product of bytes: weights and vectors are multiplied as integers, four of each at a time, and the sum is exact. The scales are
// applied at the end, once per result. launch.columns is at most 65 536, so that no sum overflows 32 bits: 65 536 * 255 * 127.
//
//     bindings 0 to 2  the weights: see bytes.glsl
//     binding 3        x        vectors of bytes, symmetric, four to a word, words_per_row() words each
//     binding 4        x_steps  f32, one for each vector
//     binding 5        y        f32, vectors of one number for each row
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#ifdef BY_INSTRUCTION
#extension GL_EXT_spirv_intrinsics : require
#endif
#include "common/row_team.glsl"
#include "quantise_int8/bytes.glsl"
#include "common/dot_of_four.glsl"
#define Part int
#include "quantise_int8/product.glsl"

layout(std430, binding = 3) readonly buffer Vectors { uint x[]; };
layout(std430, binding = 4) readonly buffer VectorSteps { float x_steps[]; };
layout(std430, binding = 5) writeonly buffer Results { float y[]; };

void multiply(uint row, uint from) {
    const uint count = words_per_row(), begin = row * count;
    const bool has_zero_point = scheme == one_step_and_zero;
    const int zero_point = zero_point_of(row);
    int sums[vectors];
    [[unroll]] for (uint v = 0; v < vectors; ++v) sums[v] = 0;
    for (uint first = rank; first < count; first += at_once * team) {
        uint word[at_once];
        [[unroll]] for (uint k = 0; k < at_once; ++k) {
            const uint at = first + k * team;
            if (at < count) word[k] = words[begin + at];
        }
        [[unroll]] for (uint k = 0; k < at_once; ++k) {
            const uint at = first + k * team;
            if (at >= count) break;
            // [products]
            [[unroll]] for (uint v = 0; v < vectors; ++v) {
                const uint four = x[(from + v) * count + at];
                sums[v] += dot_of_four(word[k], four);
                // Minus the zero point times x.
                if (has_zero_point)
                    sums[v] -= zero_point
                        * dot_of_four(0x01010101u, four);
            }
            // [/products]
        }
    }
    [[unroll]] for (uint v = 0; v < vectors; ++v) {
        // [scaled]
        const int sum = of_team(sums[v]);
        const float scaled =
            step_of(row) * x_steps[from + v] * float(sum);
        // [/scaled]
        if (is_first_of_team()) y[(from + v) * launch.total + row] = scaled;
    }
}

void main() {
    for (uint i = first_row_in_any_column(); i < launch.count; i += step_of_rows())
        for (uint v = first_vector(); v < all_vectors; v += step_of_vectors())
            multiply(place_of(i), first_of_group(v));
}
