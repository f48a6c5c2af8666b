#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float COMPARE_AND_SWAP=1
// [build f32_atomic] ELEMENT=float FLOAT_ATOMICS=1

// The sum of all numbers: every invocation adds its number to one total in global memory. The invocations share nothing
// else, and all contend for that one address.
#extension GL_GOOGLE_include_directive : require
#ifdef FLOAT_ATOMICS
#extension GL_EXT_shader_atomic_float : require
#endif
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

#ifdef COMPARE_AND_SWAP
layout(std430, binding = 1) coherent buffer Total { uint total_bits; };

// [compare_and_swap]
// For devices without atomic f32 addition: compute the new total from the current one, and store it only if no one
// else has changed it meanwhile; otherwise try again from the changed total.
void add_to_total(float number) {
    uint seen = total_bits;
    for (;;) {
        const uint wanted = floatBitsToUint(uintBitsToFloat(seen) + number);
        const uint found = atomicCompSwap(total_bits, seen, wanted);
        if (found == seen) break;
        seen = found;
    }
}
// [/compare_and_swap]
#else
layout(std430, binding = 1) buffer Total { ELEMENT total; };

void add_to_total(ELEMENT number) { atomicAdd(total, number); }
#endif

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // The grid may be smaller than the numbers: then the workgroups cover them in several passes.
    // [add]
    for (uint start = gl_WorkGroupID.x * size;
         start < launch.count;
         start += launch.workgroup_count * size) {
        const uint i = start + lane;
        if (i < launch.count) add_to_total(numbers[i]);
    }
    // [/add]
}
