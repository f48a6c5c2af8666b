#version 450

// The squared distance of each row of bytes from a vector of bytes, from three dots of four: a difference of two bytes needs nine bits,
// but (q - x)^2 = q q - 2 q x + x x.
#extension GL_GOOGLE_include_directive : require
#include "quantise_int8/each_row.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        int sum = 0;
        for (uint at = 0; at < words_per_row(); ++at) {
            const uint q = word_of_row(row, at), four = word_of_x(at);
            sum += dot_of_four(q, q) - 2 * dot_of_four(q, four) + dot_of_four(four, four);
        }
        leave(row, sum);
    }
}
