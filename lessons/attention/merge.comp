// The second launch of split: each invocation merges a quad of the parts' results.
void main() {
    const uint quads = d / 4;
    const uint i = gl_GlobalInvocationID.x;
    if (i >= queries * quads) return;
    const uint query = i / quads;
    // [merge]
    float m = -1e30;
    for (uint p = 0; p < parts; ++p)
        m = max(m, part_max[p * queries + query]);
    float sum = 0.0;
    vec4 result = vec4(0.0);
    for (uint p = 0; p < parts; ++p) {
        const uint row = p * queries + query;
        const float factor = exp(part_max[row] - m);
        sum += factor * part_sums[row];
        result += factor
            * part_results[row * quads + i % quads];
    }
    results[i] = result / sum;
    // [/merge]
}
