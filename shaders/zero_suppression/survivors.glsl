// Eight samples per load, and which of them survive. Shared by the first and the last launch of compact, which must agree on
// every sample.
#ifndef GRIDSTRIDE_ZERO_SUPPRESSION_SURVIVORS
#define GRIDSTRIDE_ZERO_SUPPRESSION_SURVIVORS

#include "zero_suppression/rule.glsl"

layout(std430, binding = 0) restrict readonly buffer Samples { uvec4 eights[]; };

// Zeros past the last eight.
uvec4 load_eight(uint i) { return 8 * i < launch.count ? eights[i] : uvec4(0); }

// bit k: sample k of these eight survives
uint survivors(uvec4 eight, uint i) {
    uint mask = 0;
    for (uint k = 0; k < 4; ++k) {
        if (survives(low(eight[k])))
            mask |= 1u << (2 * k);
        if (survives(high(eight[k])))
            mask |= 2u << (2 * k);
    }
    // nothing past the last sample does
    if (8 * i >= launch.count) return 0;
    const uint left = launch.count - 8 * i;
    return left >= 8 ? mask
                     : mask & ((1u << left) - 1);
}

#endif
