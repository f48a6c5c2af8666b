void main() {
    if (gl_GlobalInvocationID.x > 0) return;
    uint all = 0;
    for (uint i = 0; i < launch.count; ++i) all += numbers[i];
    total[0] = all;
}
