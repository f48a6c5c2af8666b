// An if with a loop on each side. Which side an element takes alternates: `period` elements take the first side, then as many
// take the second.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        uint x = i;
        // [sides]
        if (i / period % 2 == 0) {
            for (uint k = 0; k < rounds; ++k)
                x = 5 * (x ^ x >> 7) + 1;
        } else {
            for (uint k = 0; k < rounds; ++k)
                x = 7 * (x ^ x >> 7) + 3;
        }
        // [/sides]
        results[i] = x;
    }
}
