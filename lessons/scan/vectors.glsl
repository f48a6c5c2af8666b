// Shared by the kernels for long arrays. A kernel first defines ELEMENT and ELEMENT4, and NUMBERS and SUMS as the names of two
// arrays with four elements to an index. A tile has `vectors` vectors for each invocation, which keeps them in registers.
#include "common/subgroups.glsl"

ELEMENT4 values[vectors];   // first the numbers, then their sums within a vector
ELEMENT before[vectors];    // the sum of the numbers before each vector, in the part of this subgroup

uint vectors_of_tile() { return vectors * gl_WorkGroupSize.x; }
uint tile_count() { return (launch.count - 1) / (4 * vectors_of_tile()) + 1; }

// Each subgroup has a part of the tile. With each v, neighbouring lanes have neighbouring vectors.
uint vector_of(uint tile, uint v) {
    return tile * vectors_of_tile() + gl_SubgroupID * gl_SubgroupSize * vectors + v * lanes + lane;
}

void load(uint tile) {
    if (4 * (tile + 1) * vectors_of_tile() <= launch.count) {
        [[unroll]] for (uint v = 0; v < vectors; ++v) values[v] = NUMBERS[vector_of(tile, v)];
        return;
    }
    [[unroll]] for (uint v = 0; v < vectors; ++v) {
        const uint q = vector_of(tile, v);
        values[v] = ELEMENT4(0);
        if (4 * q < launch.count)
            values[v] = mix(values[v], NUMBERS[q], lessThan(4 * q + uvec4(0, 1, 2, 3), uvec4(launch.count)));
    }
}

// Returns the sum of this subgroup's numbers.
ELEMENT scan_in_subgroup() {
    ELEMENT sum = ELEMENT(0);
    // [scan]
    [[unroll]]
    for (uint v = 0; v < vectors; ++v) {
        values[v].y += values[v].x;
        values[v].z += values[v].y;
        values[v].w += values[v].z;
        const ELEMENT exclusive =
            subgroupExclusiveAdd(values[v].w);
        before[v] = sum + exclusive;
        sum += subgroupShuffle(
            exclusive + values[v].w, lanes - 1);
    }
    // [/scan]
    return sum;
}

#ifdef SUMS
// before_subgroup: the sum of all numbers before this subgroup's.
void store(uint tile, ELEMENT before_subgroup) {
    const bool is_full = 4 * (tile + 1) * vectors_of_tile() <= launch.count;
    [[unroll]] for (uint v = 0; v < vectors; ++v) {
        const uint q = vector_of(tile, v);
        const ELEMENT4 own = kind == 0 ? values[v] : ELEMENT4(ELEMENT(0), values[v].xyz);
        const ELEMENT4 sums_of_vector = own + (before_subgroup + before[v]);
        if (is_full)
            SUMS[q] = sums_of_vector;
        else
            for (uint k = 0; k < 4; ++k)
                if (4 * q + k < launch.count) SUMS[q][k] = sums_of_vector[k];
    }
}
#endif
