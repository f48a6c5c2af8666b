// The smallest of each number and its two neighbours, stored to a separate array: nobody writes where others read.

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x, last = launch.total - 1;
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += everyone) {
        const uint i = place_of(e);
        const uint left = numbers[max(i, 1) - 1], right = numbers[min(i + 1, last)];
        smallest[i] = min(numbers[i], min(left, right));
    }
}
