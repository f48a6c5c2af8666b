// The launch has an invocation for each sum; the grid of the variant says which numbers belong to it.
void main() {
    const uint group = gl_GlobalInvocationID.x, groups = launch.count;
    if (group >= groups) return;
    float sum = 0;
    for (uint first = group * workgroup_size; first < elements; first += groups * workgroup_size)
        for (uint i = first; i < min(first + workgroup_size, elements); ++i) sum += float(trips[i]);
    sums[group] = sum;
}
