// For each key: how many numbers of the sorted table are smaller?

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // Your turn: the result is right, but each invocation looks up its keys
    // one after another. Look up four at once.
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        uint smaller = 0;
        for (uint left = table.length(); left > 1; left -= left / 2) {
            const uint half_way = smaller + left / 2;
            if (table[half_way - 1] < keys[i]) smaller = half_way;
        }
        if (table[smaller] < keys[i]) ++smaller;
        counts[i] = smaller;
    }
}
