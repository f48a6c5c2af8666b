// One workgroup goes over the keys from `begin` to `end` in tiles, with the online maximum and sum.
#include "tile.glsl"

shared vec4 part[lanes * groups];

// The parts of the other lanes of this group, too.
vec4 max_of_lanes(vec4 mine) {
    part[group() * lanes + lane()] = mine;
    barrier();
    for (uint i = 0; i < lanes; ++i) mine = max(mine, part[group() * lanes + i]);
    return mine;
}
vec4 sum_of_lanes(vec4 mine) {
    part[group() * lanes + lane()] = mine;
    barrier();
    vec4 sum = vec4(0.0);
    for (uint i = 0; i < lanes; ++i) sum += part[group() * lanes + i];
    return sum;
}

// Of four queries: the maximum so far, and the sum of this lane's exponentials.
vec4 m = vec4(-1e30);
vec4 sum = vec4(0.0);

// [online]
void add_scores(mat4 s) {
    const vec4 in_lane =
        max(max(s[0], s[1]), max(s[2], s[3]));
    const vec4 larger =
        max(m, max_of_lanes(in_lane));
    // All that was added so far used the old m.
    const vec4 factor = exp(m - larger);
    sum *= factor;
    [[unroll]] for (uint r = 0;
                    r < quads_of_lane; ++r)
        result[r] *= mat4(
            factor.x, 0, 0, 0, 0, factor.y, 0, 0,
            0, 0, factor.z, 0, 0, 0, 0, factor.w);
    m = larger;
    const mat4 weights =
        mat4(exp(s[0] - m), exp(s[1] - m),
             exp(s[2] - m), exp(s[3] - m));
    sum += weights[0] + weights[1]
         + weights[2] + weights[3];
    store_weights(weights);
}
// [/online]

// [attend]
void attend(uint begin, uint end) {
    load_queries();
    [[unroll]] for (uint r = 0;
                    r < quads_of_lane; ++r)
        result[r] = mat4(0.0);
    for (uint first = begin; first < end;
         first += keys_of_tile) {
        load_keys(first);
        barrier();
        // It has a barrier for the maximum, so
        // the keys are no longer needed after it.
        add_scores(scores_of_tile(first));
        load_values(first);
        barrier();
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
