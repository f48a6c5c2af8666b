void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    results[i] = ones[i];
    atomicAdd(total[ones[i].x - 1], 1);
}
