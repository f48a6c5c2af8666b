// Two echoes: a sample has none, one or both, so each load has a condition of its own.
void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        float sum = sound[i];
        if (i >= delay)
            sum += strength * sound[i - delay];
        if (i >= 2 * delay)
            sum += strength * sound[i - 2 * delay];
        heard[i] = sum;
    }
}
