// No if: both sides are the same loop with different numbers. Each invocation selects its numbers before the loop.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [select]
        const bool is_first = i / period % 2 == 0;
        const uint factor = mix(7u, 5u, is_first);
        const uint summand = mix(3u, 1u, is_first);
        uint x = i;
        for (uint k = 0; k < rounds; ++k)
            x = factor * (x ^ x >> 7) + summand;
        results[i] = x;
        // [/select]
    }
}
