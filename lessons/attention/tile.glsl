// Shared by the kernels of this lesson: tiles of queries, keys and values in workgroup memory.
// Eight lanes of a subgroup share four queries. Each of them has every eighth key of a tile.

// [arrays]
const uint lanes = 8;
const uint keys_of_tile = lanes * keys_of_lane;
const uint groups = rows_of_tile / 4;
// A quad is 4 numbers, 16 bytes.
const uint quads = d / 4;
shared vec4 query_tile[rows_of_tile * quads];
// Keys, and then values in their place.
shared vec4 key_tile[keys_of_tile * quads];

// Each of eight rows has its quads in another
// order, against bank conflicts.
uint place(uint row, uint quad, uint order) {
    return row * quads + (quad ^ order & 7);
}
uint place_of_query(uint row, uint quad) {
    return place(row, quad, row % groups);
}
uint place_of_key(uint row, uint quad) {
    return place(row, quad, row);
}
// [/arrays]

const uint invocations = lanes * groups;
uint lane() { return gl_LocalInvocationID.x; }
uint group() { return gl_LocalInvocationID.y; }

// The first query of this workgroup, and the four of this invocation. A head has queries, keys and values of its own.
uint tile_count() { return (queries + rows_of_tile - 1) / rows_of_tile; }
uint head() { return gl_WorkGroupID.y / tile_count(); }
uint first_query() { return gl_WorkGroupID.y % tile_count() * rows_of_tile; }
uvec4 own_queries() {
    const uint first = first_query() + group();
    return uvec4(first, first + groups, first + 2 * groups, first + 3 * groups);
}

// Rows behind the end are 0. The queries are scaled here, once.
void load_queries() {
    const float scale = inversesqrt(float(d));
    for (uint i = gl_LocalInvocationIndex; i < rows_of_tile * quads; i += invocations) {
        const uint row = first_query() + i / quads;
        query_tile[place_of_query(i / quads, i % quads)] =
            row < queries ? scale * q[(head() * queries + row) * quads + i % quads] : vec4(0.0);
    }
}

// Quads of a tile of keys or values, in registers until they have a place in workgroup memory.
const uint quads_of_invocation = keys_of_tile * quads / invocations;
vec4 loaded[quads_of_invocation];

// [load]
bool is_before(uint end, uint first, uint i) {
    return first + (gl_LocalInvocationIndex
        + i * invocations) / quads < end;
}
uint quad_of_key(uint first, uint i) {
    return (head() * keys + first) * quads
        + gl_LocalInvocationIndex + i * invocations;
}
void load_keys(uint first, uint end) {
    [[unroll]]
    for (uint i = 0; i < quads_of_invocation; ++i)
        loaded[i] = is_before(end, first, i)
            ? k[quad_of_key(first, i)] : vec4(0.0);
}
void load_values(uint first) {
    [[unroll]]
    for (uint i = 0; i < quads_of_invocation; ++i)
        loaded[i] = is_before(keys, first, i)
            ? v[quad_of_key(first, i)] : vec4(0.0);
}
// [/load]
void store_tile() {
    [[unroll]]
    for (uint n = 0; n < quads_of_invocation; ++n) {
        const uint i = gl_LocalInvocationIndex + n * invocations;
        key_tile[place_of_key(i / quads, i % quads)] = loaded[n];
    }
}

// A key that these queries do not use gets a score whose exponential is 0.
vec4 masked(vec4 score, uint key) {
    if (key >= keys) return vec4(-1e30);
    if (causal == 0) return score;
    return mix(score, vec4(-1e30), greaterThan(uvec4(key), own_queries()));
}
bool has_masked_keys(uint first) {
    const uint end = first + keys_of_tile;
    return end > keys || (causal == 1 && end > first_query());
}

// Scores, and then weights: of four queries and key lane + 8 j of the tile.
vec4 of_key[keys_of_lane];

// [scores]
void compute_scores(uint first) {
    [[unroll]]
    for (uint j = 0; j < keys_of_lane; ++j)
        of_key[j] = vec4(0.0);
    [[dont_unroll]]
    for (uint c = 0; c < quads; c += unrolled)
        [[unroll]]
        for (uint e = 0; e < unrolled; ++e) {
            const uint at = place(group(), c + e, group());
            const uint step = groups * quads;
            // A column has a number of each query.
            const mat4 four = transpose(mat4(
                query_tile[at],
                query_tile[at + step],
                query_tile[at + 2 * step],
                query_tile[at + 3 * step]));
            [[unroll]]
            for (uint j = 0; j < keys_of_lane; ++j) {
                const vec4 key = key_tile[place(
                    lane() + 8 * j, c + e, lane())];
                of_key[j] += four[0] * key.x;
                of_key[j] += four[1] * key.y;
                of_key[j] += four[2] * key.z;
                of_key[j] += four[3] * key.w;
            }
        }
    if (has_masked_keys(first))
        [[unroll]]
        for (uint j = 0; j < keys_of_lane; ++j)
            of_key[j] = masked(of_key[j],
                first + lane() + 8 * j);
}
// [/scores]

// Column i: a quad of the result of query i. An invocation has the quads lane, lane + 8 and so on.
const uint quads_of_lane = quads / lanes;
mat4 result[quads_of_lane];

// [values]
void add_values() {
    const uint lane_0 =
        gl_SubgroupInvocationID & ~7;
    [[unroll]]
    for (uint j = 0; j < keys_of_lane; ++j)
        [[dont_unroll]]
        for (uint l = 0; l < lanes;
             l += unrolled)
            [[unroll]]
            for (uint e = 0; e < unrolled; ++e) {
                const vec4 weights =
                    subgroupShuffle(of_key[j],
                        lane_0 + l + e);
                [[unroll]] for (uint r = 0;
                        r < quads_of_lane; ++r)
                    result[r] += outerProduct(
                        key_tile[place(
                            l + e + 8 * j,
                            lane() + 8 * r,
                            l + e)],
                        weights);
            }
}
// [/values]
