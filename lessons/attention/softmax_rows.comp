// The second of three launches: a workgroup replaces the scores of a query by their probabilities.
shared vec2 parts_of[gl_WorkGroupSize.x];

// Two maxima with their sums of exponentials.
vec2 merge(vec2 a, vec2 b) {
    const float m = max(a.x, b.x);
    return vec2(m, a.y * exp(a.x - m) + b.y * exp(b.x - m));
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint size = gl_WorkGroupSize.x;
    const uint rows = heads * queries;
    for (uint row = gl_WorkGroupID.y; row < rows; row += gl_NumWorkGroups.y) {
        // [softmax]
        vec2 mine = vec2(-1e30, 0.0);
        for (uint i = lane; i < keys; i += size)
            mine = merge(mine,
                vec2(scores[row * keys + i], 1.0));
        parts_of[lane] = mine;
        barrier();
        for (uint n = size / 2; n > 0; n /= 2) {
            if (lane < n)
                parts_of[lane] = merge(parts_of[lane],
                    parts_of[lane + n]);
            barrier();
        }
        const vec2 all = parts_of[0];
        for (uint i = lane; i < keys; i += size)
            scores[row * keys + i] = exp(
                scores[row * keys + i] - all.x) / all.y;
        // [/softmax]
        barrier();
    }
}
