// Shared by the kernels of this lesson: tiles of queries, keys and values in workgroup memory.
// Invocation (x, y) of a workgroup has the queries 4 y to 4 y + 3 of its tile. Eight lanes share them.

// [arrays]
const uint lanes = 8;
const uint keys_of_tile = 32;
const uint groups = rows_of_tile / 4;
// A quad is 4 numbers, 16 bytes. Rows are padded
// by a quad, against bank conflicts.
const uint quads = d / 4;
const uint pitch = quads + 1;
shared vec4 query_tile[rows_of_tile * pitch];
// Keys, and then values in their place.
shared vec4 key_tile[keys_of_tile * pitch];
// The weights of a key, for 4 queries each.
const uint weight_pitch = groups + 1;
shared vec4 weight_tile[
    keys_of_tile * weight_pitch];
// [/arrays]

const uint invocations = lanes * groups;
uint lane() { return gl_LocalInvocationID.x; }
uint group() { return gl_LocalInvocationID.y; }

// The first query of this workgroup, and the four of this invocation.
uint first_query() { return gl_WorkGroupID.y * rows_of_tile; }
uvec4 own_queries() { return first_query() + 4 * group() + uvec4(0, 1, 2, 3); }

// Rows behind the end are 0. The queries are scaled here, once.
void load_queries() {
    const float scale = inversesqrt(float(d));
    for (uint i = gl_LocalInvocationIndex; i < rows_of_tile * quads; i += invocations) {
        const uint row = first_query() + i / quads;
        query_tile[i / quads * pitch + i % quads] = row < queries ? scale * q[row * quads + i % quads] : vec4(0.0);
    }
}

void load_keys(uint first) {
    for (uint i = gl_LocalInvocationIndex; i < keys_of_tile * quads; i += invocations) {
        const uint row = first + i / quads;
        key_tile[i / quads * pitch + i % quads] = row < keys ? k[row * quads + i % quads] : vec4(0.0);
    }
}

void load_values(uint first) {
    for (uint i = gl_LocalInvocationIndex; i < keys_of_tile * quads; i += invocations) {
        const uint row = first + i / quads;
        key_tile[i / quads * pitch + i % quads] = row < keys ? v[row * quads + i % quads] : vec4(0.0);
    }
}

// A key that these queries do not use gets a score whose exponential is 0.
vec4 masked(vec4 score, uint key) {
    if (key >= keys) return vec4(-1e30);
    if (causal == 0) return score;
    return mix(score, vec4(-1e30), greaterThan(uvec4(key), own_queries()));
}

// [scores]
// Column j: the scores of four queries
// and the key lane + 8 j of the tile.
mat4 scores_of_tile(uint first) {
    mat4 s = mat4(0.0);
    for (uint c = 0; c < quads; ++c) {
        const uint at = 4 * group() * pitch + c;
        const mat4 four = mat4(
            query_tile[at],
            query_tile[at + pitch],
            query_tile[at + 2 * pitch],
            query_tile[at + 3 * pitch]);
        const uint to = lane() * pitch + c;
        // A vector times a matrix: 4 dot products.
        s[0] += key_tile[to] * four;
        s[1] += key_tile[to + 8 * pitch] * four;
        s[2] += key_tile[to + 16 * pitch] * four;
        s[3] += key_tile[to + 24 * pitch] * four;
    }
    const uint key = first + lane();
    return mat4(masked(s[0], key),
                masked(s[1], key + 8),
                masked(s[2], key + 16),
                masked(s[3], key + 24));
}
// [/scores]

void store_weights(mat4 w) {
    const uint at = lane() * weight_pitch + group(), step = lanes * weight_pitch;
    weight_tile[at] = w[0];
    weight_tile[at + step] = w[1];
    weight_tile[at + 2 * step] = w[2];
    weight_tile[at + 3 * step] = w[3];
}

// Column i: a quad of the result of query i. An invocation has the quads lane, lane + 8 and so on.
const uint quads_of_lane = quads / lanes;
mat4 result[quads_of_lane];

// [values]
void add_values() {
    for (uint j = 0; j < keys_of_tile; ++j) {
        const vec4 weights =
            weight_tile[j * weight_pitch + group()];
        [[unroll]] for (uint r = 0;
                        r < quads_of_lane; ++r)
            result[r] += outerProduct(
                key_tile[j * pitch + lane() + 8 * r],
                weights);
    }
}
// [/values]
