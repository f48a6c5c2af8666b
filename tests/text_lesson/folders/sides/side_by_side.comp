void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        const uint factor = 5 + 2 * (i % 2), summand = 1 + 2 * (i % 2);
        uint x = i;
        for (uint round = 0; round < trips[i]; ++round) x = x * factor + summand;
        results[i] = x;
    }
}
