// The definition of the average, with a loop over columns that are outside of the array, too.
void main() {
    const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (column >= launch.columns || row >= launch.count) return;
    float sum = x[row * columns + column];
    for (uint d = 1; d <= radius; ++d) {
        const uint left = column < d ? 0 : column - d, right = min(column + d, columns - 1);
        sum += x[row * columns + left] + x[row * columns + right];
    }
    filtered[row * columns + column] = sum / float(2 * radius + 1);
}
