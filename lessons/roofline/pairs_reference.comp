// The sum of the weights of all sources at one position.
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    float total = 0.0;
    for (uint j = 0; j < source_count; ++j) {
        const float distance = x[i] - source[j];
        if (abs(distance) < 1.0) total += 1.0 - distance * distance;
    }
    totals[i] = total;
}
