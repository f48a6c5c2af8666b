// The exercise: each of 64 invocations has one query, and the workgroup loads tiles of 16 keys and values.
const uint quads = d / 4;
const uint keys_of_tile = 16;
shared vec4 key_tile[keys_of_tile * quads];
shared vec4 value_tile[keys_of_tile * quads];

// The query and its result, in registers.
vec4 own[quads];
vec4 result[quads];
uint head() { return gl_WorkGroupID.y / ((queries + 63) / 64); }
uint own_query() { return gl_WorkGroupID.y % ((queries + 63) / 64) * 64 + gl_LocalInvocationID.x; }

void load_query() {
    const float scale = inversesqrt(float(d));
    for (uint c = 0; c < quads; ++c) {
        own[c] = own_query() < queries ? scale * q[(head() * queries + own_query()) * quads + c] : vec4(0.0);
        result[c] = vec4(0.0);
    }
}

void load_tile(uint first) {
    for (uint i = gl_LocalInvocationID.x; i < keys_of_tile * quads; i += 64) {
        const bool exists = first + i / quads < keys;
        key_tile[i] = exists ? k[(head() * keys + first) * quads + i] : vec4(0.0);
        value_tile[i] = exists ? v[(head() * keys + first) * quads + i] : vec4(0.0);
    }
    barrier();
}

// The score of the query and key j of the tile.
float score(uint first, uint j) {
    if (first + j >= keys || (causal == 1 && first + j > own_query())) return -1e30;
    float sum = 0.0;
    for (uint c = 0; c < quads; ++c) sum += dot(own[c], key_tile[j * quads + c]);
    return sum;
}

void add_value(float weight, uint j) {
    for (uint c = 0; c < quads; ++c) result[c] += weight * value_tile[j * quads + c];
}

void store(float sum) {
    if (own_query() >= queries) return;
    for (uint c = 0; c < quads; ++c) results[(head() * queries + own_query()) * quads + c] = result[c] / sum;
}
