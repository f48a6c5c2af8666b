// One number, whatever its neighbours do.
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    const bool is_even = (i & 1u) == 0;
    uint x = i;
    for (uint left = trips[i]; left > 0; --left) x = (is_even ? 5 : 7) * x + (is_even ? 1 : 3);
    results[i] = x;
}
