#version 450

// The density of the logistic distribution, one value for each x.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float mean; float scale;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) writeonly buffer D { float densities[]; };

void main() {
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid) {
        // The curve is symmetric about the mean, and exp(-|t|) does not overflow.
        const float t = abs(xs[i] - launch.mean) / launch.scale;
        const float e = exp(-t);
        densities[i] = e / (launch.scale * (1.0 + e) * (1.0 + e));
    }
}
