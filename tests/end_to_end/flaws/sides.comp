void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint sum = 0, x = i;
    if (i / side % 2 == 0) {
        for (uint round = 0; round < rounds; ++round) {
            x = x * 5 + 1;
            sum += ones[(x >> 8) & 7];
        }
    } else {
        for (uint round = 0; round < rounds; ++round) {
            x = x * 7 + 3;
            sum += ones[(x >> 8) & 7];
        }
    }
    results[i] = sum;
}
