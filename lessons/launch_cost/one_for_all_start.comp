// Each number x of `start` is replaced by x * (2 * x + 1), as often as `launches` says.
// The last replacement is stored to `numbers`.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        // Your turn: here each number is replaced once.
        numbers[i] = start[i] * (2 * start[i] + 1);
}
