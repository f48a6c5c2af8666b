// Shared by the kernels that load and store four numbers (a quad) at a time.

// The index of this invocation, and the number of invocations.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }

// The last quad may have fewer than four numbers.
uint quads() { return (launch.count + 3) / 4; }

// Stores those numbers of the quad that exist.
void store(uint q, vec4 numbers) {
    const uint left = launch.count - 4 * q;
    if (left >= 4)
        results[q] = numbers;
    else
        for (uint k = 0; k < left; ++k) results[q][k] = numbers[k];
}
