// The reference of the loops of different lengths: one element, counted down.

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint x = i;
    for (uint left = trips[i]; left > 0; --left) x = 5 * (x ^ (x / 128)) + 1;
    results[i] = x;
}
