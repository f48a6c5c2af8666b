// The square of each element of a picture: x is the column, y the row. An invocation without an element returns.

void main() {
    const uint column = gl_GlobalInvocationID.x;
    const uint row = place_of(gl_GlobalInvocationID.y);
    if (column < width && row < height) {
        const uint i = row * width + column;
        const uint one = x[i];
        results[i] = one * one;
    }
}
