#extension GL_EXT_control_flow_attributes : require

// Four loads in flight for each invocation.
void main() {
    const uint i = gl_GlobalInvocationID.x, invocations = launch.workgroup_count * gl_WorkGroupSize.x;
    [[unroll]] for (uint k = 0; k < 4; ++k)
        if (i + k * invocations < launch.count) picked[i + k * invocations] = ones[(i + k * invocations) * step];
}
