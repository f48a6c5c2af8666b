// Each invocation processes samples that lie a whole grid apart: a grid-stride loop.
void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // [echo]
        float sum = sound[i];
        if (i >= delay)
            sum += strength * sound[i - delay];
        heard[i] = sum;
        // [/echo]
    }
}
