#version 450

// The logarithm of the sum of exp(x) over each row: launch.columns numbers to
// a row, launch.count rows. each_row.glsl has number_at(), leave() and lowest.
#extension GL_GOOGLE_include_directive : require
#include "softmax/each_row.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        // Your turn: exp() of large numbers is infinite, and so is this sum.
        float sum = 0.0;
        for (uint column = 0; column < launch.columns; ++column)
            sum += exp(number_at(row, column));
        leave(row, log(sum));
    }
}
