#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require

shared uint tile[1032];

// With a stride of 32, the addresses of all lanes are in one bank. Eight loads share the arithmetic of one address.
void main() {
    for (uint i = gl_LocalInvocationIndex; i < 1032; i += gl_WorkGroupSize.x) tile[i] = ones[i % launch.count];
    barrier();
    const uint i = gl_GlobalInvocationID.x;
    uint sum = 0;
    for (uint round = 0; round < rounds; round += 8) {
        const uint at = (gl_SubgroupInvocationID * stride + round) & 1023;
        [[unroll]] for (uint k = 0; k < 8; ++k) sum += tile[at + k];
    }
    if (i < launch.count) results[i] = sum;
}
