// A loop whose number of rounds is data: each element has its own.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [loop]
        const uint count = trips[i];
        uint x = i;
        for (uint k = 0; k < count; ++k)
            x = 5 * (x ^ x >> 7) + 1;
        results[i] = x;
        // [/loop]
    }
}
