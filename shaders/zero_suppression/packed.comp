#version 450

// Eight samples per load: a load of 16 bytes is one instruction, like one of 2. No 16-bit type is needed, because the samples
// are extracted from 32-bit words in registers.
#extension GL_GOOGLE_include_directive : require
#include "zero_suppression/rule.glsl"

// [memory]
layout(std430, binding = 0)
restrict readonly buffer Samples {
    uvec4 eights[];
};
// [/memory]
layout(std430, binding = 1) restrict writeonly buffer Silenced { uvec4 silenced[]; };

// [eight]
uvec4 silence(uvec4 eight) {
    return uvec4(silence(eight.x),
                 silence(eight.y),
                 silence(eight.z),
                 silence(eight.w));
}
// [/eight]

void main() {
    // Buffers are bound as a multiple of 16 bytes, so the last eight can be loaded even if not all of them are samples.
    const uint count = (launch.count + 7) / 8;
    const uint grid = launch.workgroup_count * gl_WorkGroupSize.x;
    const uint fours_end = grid < count / 4 ? count - 3 * grid : 0;  // below it, i + 3 * grid is valid, too

    uint i = gl_GlobalInvocationID.x;
    // [stride]
    for (; i < fours_end; i += 4 * grid) {
        const uvec4 a = eights[i];
        const uvec4 b = eights[i + grid];
        const uvec4 c = eights[i + 2 * grid];
        const uvec4 d = eights[i + 3 * grid];
        silenced[i] = silence(a);
        silenced[i + grid] = silence(b);
        silenced[i + 2 * grid] = silence(c);
        silenced[i + 3 * grid] = silence(d);
    }
    // [/stride]
    for (; i < count; i += grid) silenced[i] = silence(eights[i]);
}
