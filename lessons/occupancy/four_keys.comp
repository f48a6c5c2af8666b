// Each invocation looks up four keys at once. All four searches have the same number of loads, so one loop serves them.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint first = gl_GlobalInvocationID.x; first < launch.count; first += 4 * grid) {
        uint key[4], smaller[4];
        for (uint k = 0; k < 4; ++k) {
            key[k] = keys[min(first + k * grid, launch.count - 1)];  // there may be fewer than four keys
            smaller[k] = 0;
        }
        for (uint left = table.length(); left > 1; left -= left / 2)
            for (uint k = 0; k < 4; ++k) {
                const uint half_way = smaller[k] + left / 2;
                if (table[half_way - 1] < key[k]) smaller[k] = half_way;
            }
        for (uint k = 0; k < 4; ++k) {
            const uint i = first + k * grid;
            if (table[smaller[k]] < key[k]) ++smaller[k];
            if (i < launch.count) counts[i] = smaller[k];
        }
    }
}
