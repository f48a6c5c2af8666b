void main() {
    results[gl_GlobalInvocationID.x] = rounds;
}
