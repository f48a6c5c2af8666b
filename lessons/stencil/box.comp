// The average of side x side numbers. The first pass adds up numbers along the rows of the tile, also
// of those above and below it. The second one adds up columns of these sums.
#include "box_tile.glsl"

void main() {
    const ivec2 first = first_result();
    const uint lane = gl_LocalInvocationID.x, side = 2 * radius + 1;

    for (uint row = gl_LocalInvocationID.y; row < size; row += 8)
        for (uint column = lane; column < size; column += 32)
            tile[row * size + column] = x[index_of(
                first.x + int(column) - int(radius), first.y + int(row) - int(radius))];
    barrier();
    for (uint row = gl_LocalInvocationID.y; row < size; row += 8) {
        float sum = 0.0;
        for (uint d = 0; d < side; ++d) sum += tile[row * size + lane + d];
        sums[row * 32 + lane] = sum;
    }
    barrier();
    for (uint row = gl_LocalInvocationID.y; row < 32; row += 8) {
        const ivec2 to = first + ivec2(lane, row);
        float sum = 0.0;
        for (uint d = 0; d < side; ++d) sum += sums[(row + d) * 32 + lane];
        if (exists(to)) filtered[index_of(to.x, to.y)] = sum / float(side * side);
    }
}
