// Each invocation takes numbers a whole grid apart: the grid-stride loop.
void main() {
    // [loop]
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        products[i] = numbers[i] * factor;
    // [/loop]
}
