// Each invocation loads the number at a pseudorandom index, which is the same in every run.

// The hash "pcg" of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering", Journal of Computer Graphics Techniques 9
// (3), 2020.
uint hash(uint i) {
    const uint state = i * 747796405u + 2891336453u;
    const uint word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // [gather]
    for (uint i = gl_GlobalInvocationID.x;
         i < launch.count; i += grid) {
        const uint index = hash(place_of(i))
            % min(reach, launch.total);
        const float number = x[index];
        gathered[i] = number;
    }
    // [/gather]
}
