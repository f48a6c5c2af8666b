// The rule that every variant applies, to single samples and to words that hold two of them.
//
// GLSL itself has no 16-bit type, and the rule needs none: a sample is widened to 32 bits
// before it is tested.
#ifndef GRIDSTRIDE_ZERO_SUPPRESSION_RULE
#define GRIDSTRIDE_ZERO_SUPPRESSION_RULE

#define PARAMETERS int threshold;
#include "common/launch.glsl"

layout(constant_id = 3) const bool magnitude = false;  // false: the rule "signed"

// [rule]
// in 32 bits, abs(-32768) is 32768
bool survives(int value) {
    const int size =
        magnitude ? abs(value) : value;
    return size >= launch.threshold;
}
// [/rule]

// [pair]
// >> of a signed number keeps the sign
int low(uint pair) {
    return int(pair << 16) >> 16;
}
int high(uint pair) {
    return int(pair) >> 16;
}

uint silence(uint pair) {
    uint kept = 0;
    if (survives(low(pair)))
        kept |= pair & 0x0000FFFFu;
    if (survives(high(pair)))
        kept |= pair & 0xFFFF0000u;
    return kept;
}
// [/pair]

#endif
