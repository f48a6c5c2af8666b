// One workgroup goes over the keys from `begin` to `end` in tiles, with the online maximum and sum.
#include "tile.glsl"

vec4 max_of_lanes(vec4 mine) {
    [[unroll]] for (uint i = 1; i < lanes; i *= 2) mine = max(mine, subgroupShuffleXor(mine, i));
    return mine;
}
vec4 sum_of_lanes(vec4 mine) {
    [[unroll]] for (uint i = 1; i < lanes; i *= 2) mine += subgroupShuffleXor(mine, i);
    return mine;
}

// Of four queries: the maximum so far, and the sum of this lane's exponentials.
vec4 m = vec4(-1e30);
vec4 sum = vec4(0.0);

// [online]
void compute_weights() {
    vec4 larger = m;
    [[unroll]]
    for (uint j = 0; j < keys_of_lane; ++j)
        larger = max(larger, of_key[j]);
    larger = max_of_lanes(larger);
    // All that was added so far used the old m.
    const vec4 factor = exp(m - larger);
    sum *= factor;
    [[unroll]]
    for (uint r = 0; r < quads_of_lane; ++r)
        [[unroll]] for (uint i = 0; i < 4; ++i)
            result[r][i] *= factor[i];
    m = larger;
    [[unroll]]
    for (uint j = 0; j < keys_of_lane; ++j) {
        of_key[j] = exp(of_key[j] - m);
        sum += of_key[j];
    }
}
// [/online]

// [attend]
void attend(uint begin, uint end) {
    load_queries();
    load_keys(begin, end);
    [[unroll]]
    for (uint r = 0; r < quads_of_lane; ++r)
        result[r] = mat4(0.0);
    [[dont_unroll]]
    for (uint first = begin; first < end;
         first += keys_of_tile) {
        store_tile();
        barrier();
        load_values(first);
        compute_scores(first);
        compute_weights();
        // The keys are not needed any more.
        barrier();
        store_tile();
        barrier();
        // None behind the last tile.
        load_keys(first + keys_of_tile, end);
        add_values();
        barrier();
    }
    sum = sum_of_lanes(sum);
}
// [/attend]

// Where the keys end that a query of this workgroup uses.
// [end]
uint end_of_keys() {
    const uint behind =
        first_query() + rows_of_tile;
    return causal == 0 ? keys : min(keys, behind);
}
// [/end]
