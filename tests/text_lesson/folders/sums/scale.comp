void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        scaled[i] = float(numbers[i]) * float(rounds) + table[0] - 1.0;
}
