void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        uint x = i;
        // region: if
        if (i % 2 == 0) {
            for (uint round = 0; round < trips[i]; ++round) x = x * 5 + 1;
        } else {
            for (uint round = 0; round < trips[i]; ++round) x = x * 7 + 3;
        }
        // end
        results[i] = x;
        roots[i] = sqrt(float(trips[i]));
    }
}
