#version 450

// One pass for both rules: the samples silenced by "magnitude", and how many samples each of
// the two rules removes.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "zero_suppression/rule.glsl"

// Two samples per word: low(pair) and high(pair). The last word of an odd number has one.
layout(std430, binding = 0) readonly buffer Samples { uint pairs[]; };
layout(std430, binding = 1) writeonly buffer Silenced { uint silenced[]; };
// By the rule "signed", by the rule "magnitude".
layout(std430, binding = 2) buffer Removed { uint removed[2]; };

void main() {
    const uint words = (launch.count + 1) / 2;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < words; i += grid) {
        silenced[i] = silence(pairs[i]);
        // TODO: count the samples below launch.threshold, with their sign and by their magnitude.
    }
}
