// The second launch of split: each invocation merges a quad of the parts' results.
void main() {
    const uint quads = d / 4;
    const uint i = gl_GlobalInvocationID.x;
    if (i >= heads * queries * quads) return;
    const uint row = i / quads, rows = heads * queries;
    // [merge]
    float m = -1e30;
    for (uint p = 0; p < parts; ++p)
        m = max(m, part_max[p * rows + row]);
    float sum = 0.0;
    vec4 result = vec4(0.0);
    for (uint p = 0; p < parts; ++p) {
        const uint at = p * rows + row;
        const float factor = exp(part_max[at] - m);
        sum += factor * part_sums[at];
        result += factor
            * part_results[at * quads + i % quads];
    }
    results[i] = result / sum;
    // [/merge]
}
