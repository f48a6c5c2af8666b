shared uint sums[1024];
void main() {
    uint sum = 0;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid)
        sum += numbers[i];
    sums[gl_LocalInvocationID.x] = sum;
    barrier();
    if (gl_LocalInvocationID.x == 0) {
        uint all = 0;
        for (uint i = 0; i < gl_WorkGroupSize.x; ++i) all += sums[i];
        partial[gl_WorkGroupID.x] = all;
    }
}
