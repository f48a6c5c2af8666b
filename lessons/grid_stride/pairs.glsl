// Shared by the kernels of this lesson: the length of a pair (x, y), and a count for each invocation. A kernel first
// defines what a load returns:
//     #define NUMBER float

// [length]
NUMBER length_of(NUMBER x, NUMBER y) {
    return sqrt(x * x + y * y);
}
// [/length]

// The index of this invocation, and the number of invocations.
uint global_index() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint invocation_count() { return launch.workgroup_count * gl_WorkGroupSize.x; }

// [count]
// Stores the element count of this invocation.
void store_count(uint count) {
    if (counting == 0) return;
    const uint mine =
        workgroup() * gl_WorkGroupSize.x
        + gl_LocalInvocationIndex;
    taken[mine] = launch.fresh == 1
        ? count : taken[mine] + count;
}
// [/count]
