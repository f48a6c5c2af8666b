// The average of side x side numbers. A workgroup of 32 x 8 invocations computes
// 32 x 32 results. box_tile.glsl declares tile and sums.
#include "box_tile.glsl"

void main() {
    const ivec2 first = first_result();
    const uint lane = gl_LocalInvocationID.x, side = 2 * radius + 1;

    // Your turn: this averages along x only. The tile has a halo at the left and at
    // the right, and no rows above and below.
    for (uint row = gl_LocalInvocationID.y; row < 32; row += 8)
        for (uint column = lane; column < size; column += 32)
            tile[row * size + column] = x[index_of(
                first.x + int(column) - int(radius), first.y + int(row))];
    barrier();
    for (uint row = gl_LocalInvocationID.y; row < 32; row += 8) {
        const ivec2 to = first + ivec2(lane, row);
        float sum = 0.0;
        for (uint d = 0; d < side; ++d) sum += tile[row * size + lane + d];
        if (exists(to)) filtered[index_of(to.x, to.y)] = sum / float(side);
    }
}
