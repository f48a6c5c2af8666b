// Loads every n-th number, beginning at an offset.

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    // [take]
    for (uint i = gl_GlobalInvocationID.x;
         i < launch.count; i += grid) {
        const uint index = offset
            + place_of(i) * stride;
        const float number = x[index];
        taken[i] = number;
    }
    // [/take]
}
