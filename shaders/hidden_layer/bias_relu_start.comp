#version 450

// A layer with a bias, and with max(0, v) in place of tanh, in one launch.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float gain; float bias;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Greyscales { float greyscales[]; };
layout(std430, binding = 1) readonly buffer Weights { float weights[]; };
layout(std430, binding = 2) writeonly buffer Activations { float activations[]; };

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        const float weighed = greyscales[i] / 255.0 * weights[i];
        // Your turn: v = gain * weighed + bias, and the activation is v, or 0 where v is below 0.
        activations[i] = tanh(launch.gain * weighed);
    }
}
