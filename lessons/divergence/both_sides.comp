// No if: each invocation computes both sides, and selects the result that it needs.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [both]
        uint a = i, b = i;
        for (uint k = 0; k < rounds; ++k)
            a = 5 * (a ^ a >> 7) + 1;
        for (uint k = 0; k < rounds; ++k)
            b = 7 * (b ^ b >> 7) + 3;
        const bool is_first = i / period % 2 == 0;
        results[i] = mix(b, a, is_first);
        // [/both]
    }
}
