// Each invocation copies one number. Neighbouring lanes load numbers of neighbouring rows, and store them
// to neighbouring places of a row of the result. The launch is as wide as the result.

void main() {
    // [copy]
    const uint row = gl_GlobalInvocationID.x;
    const uint column = gl_GlobalInvocationID.y;
    if (column < columns && row < rows) {
        const uint from = row * columns + column;
        const uint to = column * rows + row;
        const float number = x[from];
        transposed[to] = number;
    }
    // [/copy]
}
