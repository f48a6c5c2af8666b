// One invocation adds up all numbers, one after another. A long launch is divided: carry[0] has the sum of the parts before.
void main() {
    if (gl_GlobalInvocationID.x > 0) return;
    uint sum = carry[0];
    // [scan]
    for (uint i = 0; i < launch.count; ++i) {
        const uint before = sum;
        sum += numbers[i];
        sums[i] = kind == 0 ? sum : before;
    }
    // [/scan]
    carry[0] = sum;
}
