void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint sum = 0, x = i;
    if (i % 2 == 0) {
        for (uint round = 0; round < rounds / 16; ++round) {
            x = x * 5 + 1;
            sum += zeros[(x >> 8) & 7];
        }
    } else {
        for (uint round = 0; round < rounds / 16; ++round) {
            x = x * 7 + 3;
            sum += zeros[(x >> 8) & 7];
        }
    }
    atomicAdd(total[sum], 1);
}
