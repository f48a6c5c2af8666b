shared uint count;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) count = 0;
    barrier();
    if (i < launch.count) {
        const uvec4 four = ones[i];
        results[i] = four;
        atomicAdd(count, four.x);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) atomicAdd(total[0], count);
}
