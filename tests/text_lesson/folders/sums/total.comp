void main() {
    if (gl_LocalInvocationID.x == 0) {
        uint all = 0;
        for (uint i = 0; i < launch.count; ++i) all += partial[i];
        total[0] = all;
    }
}
