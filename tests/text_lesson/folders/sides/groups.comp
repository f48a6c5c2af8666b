shared float partial[1024];
void main() {
    const uint size = gl_WorkGroupSize.x, lane = gl_LocalInvocationID.x;
    float sum = 0;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * size)
        sum += float(trips[i]);
    partial[lane] = sum;
    barrier();
    if (lane > 0) return;
    for (uint other = 1; other < size; ++other) sum += partial[other];
    sums[gl_WorkGroupID.x] = sum;
}
