// The definition of the average in two dimensions.
void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= launch.columns || row >= launch.count) return;
    float sum = 0.0;
    for (uint i = 0; i <= 2 * radius; ++i)
        for (uint j = 0; j <= 2 * radius; ++j) {
            const uint from_row = min(max(row + i, radius) - radius, rows - 1);
            const uint from_column = min(max(column + j, radius) - radius, columns - 1);
            sum += x[from_row * columns + from_column];
        }
    filtered[row * columns + column] = sum / float((2 * radius + 1) * (2 * radius + 1));
}
