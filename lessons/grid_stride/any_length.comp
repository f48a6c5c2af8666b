// The length of each pair, for every grid and numbers of any magnitude: the larger number is factored out of the root, so
// that the squares are at most 1.

float length_of(float x, float y) {
    const float large = max(abs(x), abs(y));
    if (large == 0.0) return 0.0;
    const float ratio = min(abs(x), abs(y)) / large;
    return large * sqrt(1.0 + ratio * ratio);
}

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += everyone)
        lengths[i] = length_of(x[i], y[i]);
}
