// Only a part of the elements needs the long loop: those for which
// x % 100 < share.

void main() {
    // Your turn: in most subgroups a few lanes loop while the others wait.
    // Collect the elements that need the loop first.
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        uint x = numbers[i];
        if (x % 100 < share) {
            for (uint k = 0; k < rounds; ++k)
                x = 5 * (x ^ x >> 7) + 1;
        }
        results[i] = x;
    }
}
