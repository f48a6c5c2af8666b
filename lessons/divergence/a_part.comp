// Only a part of the elements needs the long loop: `share` of a hundred, at random places.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [part]
        uint x = numbers[i];
        if (x % 100 < share) {
            for (uint k = 0; k < rounds; ++k)
                x = 5 * (x ^ x >> 7) + 1;
        }
        results[i] = x;
        // [/part]
    }
}
