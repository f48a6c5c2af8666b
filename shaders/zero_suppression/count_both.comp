#version 450

// One pass for both rules. Each invocation counts the removed samples in registers, each subgroup adds the counts up without memory,
// each workgroup adds up its subgroups in workgroup memory, and adds the result to the global counts once.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "zero_suppression/rule.glsl"

// Two samples per word: low(pair) and high(pair). If the number of samples is odd, the last word has one.
layout(std430, binding = 0) readonly buffer Samples { uint pairs[]; };
layout(std430, binding = 1) writeonly buffer Silenced { uint silenced[]; };
layout(std430, binding = 2) buffer Removed { uint removed[2]; };  // by the rule "signed", by the rule "magnitude"

shared uint gone[2];

void count(int value, inout uvec2 mine) {
    if (value < launch.threshold) ++mine.x;
    if (abs(value) < launch.threshold) ++mine.y;
}

void main() {
    const uint lane = gl_LocalInvocationIndex;
    if (lane == 0) gone[0] = gone[1] = 0;
    barrier();

    uvec2 mine = uvec2(0);
    const uint words = (launch.count + 1) / 2;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < words; i += grid) {
        const uint pair = pairs[i];
        silenced[i] = silence(pair);
        count(low(pair), mine);
        if (2 * i + 1 < launch.count) count(high(pair), mine);
    }
    const uvec2 sum = subgroupAdd(mine);
    if (subgroupElect()) {
        atomicAdd(gone[0], sum.x);
        atomicAdd(gone[1], sum.y);
    }
    barrier();
    if (lane == 0)
        for (uint rule = 0; rule < 2; ++rule)
            atomicAdd(removed[rule], gone[rule]);
}
