#extension GL_KHR_shader_subgroup_basic : require

shared uint tile[1024];

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 1024; i += gl_WorkGroupSize.x) tile[i] = 0;
    barrier();
    const uint i = gl_GlobalInvocationID.x;
    uint sum = 0;
    for (uint round = 0; round < 64; ++round) sum += tile[(gl_SubgroupInvocationID * 32 + round) & 1023];
    if (i < launch.count) picked[i] = sum + ones[i * 8];
}
