// Counts the numbers of the table that are smaller than each key. The table is sorted, so each load halves the part that is left.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [search]
        uint smaller = 0;
        for (uint left = table.length();
             left > 1; left -= left / 2) {
            const uint half_way = smaller + left / 2;
            if (table[half_way - 1] < keys[i])
                smaller = half_way;
        }
        // [/search]
        if (table[smaller] < keys[i]) ++smaller;
        counts[i] = smaller;
    }
}
