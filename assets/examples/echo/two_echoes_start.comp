// Add a second echo: as strong as the first, and twice as late.
void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        float sum = sound[i];
        if (i >= delay)
            sum += strength * sound[i - delay];
        heard[i] = sum;
    }
}
