// Counts the numbers of the table that are smaller than a key, from the highest bit of the count to the lowest.
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    uint smaller = 0;
    for (uint bit = 0x80000000u; bit > 0; bit >>= 1) {
        const uint more = smaller | bit;
        if (more <= table.length() && table[more - 1] < keys[i]) smaller = more;
    }
    counts[i] = smaller;
}
