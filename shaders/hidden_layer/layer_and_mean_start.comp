#version 450

// A layer with a bias, and with max(0, v) instead of tanh, and in the same launch the sum of
// the activations of each workgroup. The CPU computes their mean from these sums.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS float gain; float bias;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Greyscales { float greyscales[]; };
layout(std430, binding = 1) readonly buffer Weights { float weights[]; };
layout(std430, binding = 2) writeonly buffer Activations { float activations[]; };
layout(std430, binding = 3) buffer Sums { float sums[]; };  // one per workgroup

// One invocation of each workgroup calls this once.
void store_sum(float sum) {
    const uint mine = workgroup();
    sums[mine] = launch.fresh == 1 ? sum : sums[mine] + sum;
}

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    float mine = 0.0;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        const float weighed = greyscales[i] / 255.0 * weights[i];
        activations[i] = max(0.0, launch.gain * weighed + launch.bias);
        // TODO: nothing is added up yet,
    }
    // and the stored sum is 0.
    if (gl_LocalInvocationIndex == 0) store_sum(mine);
}
