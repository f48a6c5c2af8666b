#version 450

// The logarithm of the sum of exp(x) over each row, in one pass: m is the maximum so far, and the sum is that of exp(x - m).
#extension GL_GOOGLE_include_directive : require
#include "softmax/each_row.glsl"

void main() {
    for (uint row = first_row(); row < launch.count; row += step_of_rows()) {
        float m = lowest;
        float sum = 0.0;
        for (uint column = 0; column < launch.columns; ++column) {
            const float number = number_at(row, column);
            if (number > m) {
                sum *= exp(m - number);
                m = number;
            }
            sum += exp(number - m);
        }
        leave(row, m + log(sum));
    }
}
