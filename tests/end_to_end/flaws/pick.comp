void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) picked[i] = ones[i * step];
}
