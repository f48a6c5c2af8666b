void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) roots[i] = sqrt(float(trips[i]));
}
