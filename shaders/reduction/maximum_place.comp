#version 450
// [build u32] ELEMENT=uint
// [build f32] ELEMENT=float

// The largest number and its first position: each invocation keeps the best of its own numbers, and a tree finds the best
// of the workgroup.
#extension GL_GOOGLE_include_directive : require
#include "reduction/best.glsl"

layout(std430, binding = 0) readonly buffer Numbers { ELEMENT numbers[]; };

shared ELEMENT best[gl_WorkGroupSize.x];
shared uint stands[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    ELEMENT number = ELEMENT(0);
    uint place = nowhere;
    // In ascending order, so the first of equal numbers is kept.
    for (uint i = gl_WorkGroupID.x * size + lane; i < launch.count; i += launch.workgroup_count * size)
        if (place == nowhere || numbers[i] > number) {
            number = numbers[i];
            place = place_of(i);
        }
    best[lane] = number;
    stands[lane] = place;
    barrier();

    for (uint values = size; values > 1;) {
        const uint keep = (values + 1) / 2;
        if (lane + keep < values) {
            const uint other = lane + keep;
            const bool better = stands[other] != nowhere
                             && (stands[lane] == nowhere || best[other] > best[lane]
                                 || (best[other] == best[lane] && stands[other] < stands[lane]));
            if (better) {
                best[lane] = best[other];
                stands[lane] = stands[other];
            }
        }
        barrier();
        values = keep;
    }
    if (lane == 0 && stands[0] != nowhere) store_best(best[0], stands[0]);
}
