// The reference of the kernels in which only a part of the elements needs the loop: one element.

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint x = numbers[i];
    for (uint left = x % 100 < share ? rounds : 0; left > 0; --left) x = 5 * (x ^ (x / 128)) + 1;
    results[i] = x;
}
