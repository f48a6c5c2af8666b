#extension GL_KHR_shader_subgroup_arithmetic : require

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= launch.count) return;
    results[i] = ones[i];
    const uint count = subgroupAdd(ones[i].x);
    if (subgroupElect()) atomicAdd(total[0], count);
}
