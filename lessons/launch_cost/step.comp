// Replaces each number x by x * (2 * x + 1), which wraps around. A launch does this once.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // [step]
    for (uint i = gl_GlobalInvocationID.x;
         i < launch.count; i += grid)
        numbers[i] *= 2 * numbers[i] + 1;
    // [/step]
}
