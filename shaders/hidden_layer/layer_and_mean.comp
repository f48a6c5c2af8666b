#version 450

// A layer with a bias, and with max(0, v) instead of tanh. The same launch adds up the activations of each workgroup while they are
// in registers, so that they are not read again.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float gain; float bias;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Greyscales { float greyscales[]; };
layout(std430, binding = 1) readonly buffer Weights { float weights[]; };
layout(std430, binding = 2) writeonly buffer Activations { float activations[]; };
layout(std430, binding = 3) buffer Sums { float sums[]; };

void store_sum(float sum) {
    const uint mine = workgroup();
    sums[mine] = launch.fresh == 1 ? sum : sums[mine] + sum;
}

shared float parts[gl_WorkGroupSize.x];

void main() {
    const uint lane = gl_LocalInvocationIndex;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    float mine = 0.0;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        const float weighed = greyscales[i] / 255.0 * weights[i];
        const float activation = max(0.0, launch.gain * weighed + launch.bias);
        activations[i] = activation;
        mine += activation;
    }

    parts[lane] = mine;
    barrier();
    for (uint values = gl_WorkGroupSize.x; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values) parts[lane] += parts[lane + keep];
        barrier();
        values = keep;
    }
    if (lane == 0) store_sum(parts[0]);
}
