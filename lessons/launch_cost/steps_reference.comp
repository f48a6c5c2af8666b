// The number that is left after all replacements.
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint number = start[i];
    for (uint left = launches; left > 0; --left) number *= 2 * number + 1;
    numbers[i] = number;
}
