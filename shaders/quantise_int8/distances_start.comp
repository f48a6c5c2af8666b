#version 450

// For each row the sum of (q - x)^2, over its bytes q and those of the vector x.
// each_row.glsl has word_of_row(), word_of_x(), words_per_row() and leave();
// dot_of_four(a, b) multiplies four bytes with four, and bytes_of(word) parts them.
#extension GL_GOOGLE_include_directive : require
#include "quantise_int8/each_row.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        int sum = 0;
        for (uint at = 0; at < words_per_row(); ++at) {
            // Your turn: words are subtracted here, and a byte borrows from the next.
            const uint apart = word_of_row(row, at) - word_of_x(at);
            sum += dot_of_four(apart, apart);
        }
        leave(row, sum);
    }
}
