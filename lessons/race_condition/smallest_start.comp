// The smallest of each number and its two neighbours. The first and the last have one.

void main() {
    // Your turn: this changes the numbers while others still read them.
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x, last = launch.total - 1;
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += everyone) {
        const uint i = place_of(e);
        const uint left = numbers[max(i, 1) - 1], right = numbers[min(i + 1, last)];
        numbers[i] = min(numbers[i], min(left, right));
        smallest[i] = numbers[i];
    }
}
