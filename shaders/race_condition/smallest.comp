#version 450

// The smallest of each number and its two neighbours, stored to a separate array: nobody writes where others read.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) writeonly buffer Smallest { uint smallest[]; };
layout(std430, binding = 1) readonly buffer Numbers { uint numbers[]; };

void main() {
    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x, last = launch.total - 1;
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += everyone) {
        const uint i = place_of(e);
        const uint left = numbers[max(i, 1) - 1], right = numbers[min(i + 1, last)];
        smallest[i] = min(numbers[i], min(left, right));
    }
}
