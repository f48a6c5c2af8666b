#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The largest number and its position; of equal numbers, the first. Each workgroup stores the
// best of its numbers, and the CPU takes the best of those.
#extension GL_GOOGLE_include_directive : require
#include "reduction/best.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint i = gl_WorkGroupID.x * size + lane;

    // TODO: now each workgroup looks at one number only.
    if (lane == 0 && i < launch.count)
        store_best(numbers[i], place_of(i));
}
