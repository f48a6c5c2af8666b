// The reference of the kernels with two sides: one element, round by round, each round with the numbers of its side.

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    const bool is_second = ((i / period) & 1u) == 1;
    uint x = i;
    for (uint left = rounds; left > 0; --left) {
        const uint mixed = x ^ (x / 128);
        x = is_second ? 7 * mixed + 3 : 5 * mixed + 1;
    }
    results[i] = x;
}
