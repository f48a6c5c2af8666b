// The work of many launches in one: each number is loaded once, replaced in a register, and stored once.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        uint number = start[i];
        for (uint done = 0; done < launches; ++done)
            number *= 2 * number + 1;
        numbers[i] = number;
    }
}
