// Shared by the kernels whose workgroups load a tile, with a number for each invocation, and a halo of
// 2 numbers around it.
const uint width = gl_WorkGroupSize.x + 4;
const uint height = gl_WorkGroupSize.y + 4;
shared float tile[height * width];

// The place in the tile of the first number that the result of this invocation needs.
uint first_of_window() { return gl_LocalInvocationID.y * width + gl_LocalInvocationID.x; }

// Where the array has number i of the tile.
uint source_of(uint i) {
    const ivec2 first = ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 2;
    return index_of(first.x + int(i % width), first.y + int(i / width));
}

// The result from the numbers of the tile.
float filter_tile() {
    float sum = 0.0;
    [[unroll]] for (uint i = 0; i < 5; ++i)
        [[unroll]] for (uint j = 0; j < 5; ++j)
            sum += weights[i] * weights[j]
                * tile[first_of_window() + i * width + j];
    return sum;
}
