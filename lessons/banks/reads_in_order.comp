// Each invocation copies one number. Neighbouring lanes load neighbouring numbers of a row, and store
// them to neighbouring rows of the result.

void main() {
    // [copy]
    const uint column = gl_GlobalInvocationID.x;
    const uint row = gl_GlobalInvocationID.y;
    if (column < columns && row < rows) {
        const uint from = row * columns + column;
        const uint to = column * rows + row;
        const float number = x[from];
        transposed[to] = number;
    }
    // [/copy]
}
