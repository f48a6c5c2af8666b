#version 450

// The density of the logistic distribution, one value for each x:
//
//     t = (x - mean) / scale        density = exp(-t) / (scale * (1 + exp(-t))^2)
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float mean; float scale;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) writeonly buffer D { float densities[]; };

void main() {
    // TODO: launch.count elements, launch.workgroup_count workgroups of gl_WorkGroupSize.x
    // invocations, and launch.mean and launch.scale.
}
