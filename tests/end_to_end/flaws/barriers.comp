void main() {
    const uint i = gl_GlobalInvocationID.x;
    for (uint round = 0; round < rounds; ++round) barrier();
    if (i < launch.count) results[i] = ones[i];
}
