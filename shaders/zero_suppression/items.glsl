// The item that an invocation processes at a time in per_sample and grid_stride: one sample if the device can load and store 16
// bits, else a word of two samples. Two invocations must not share a word there: each would overwrite the other's half with its
// old value.
#ifndef GRIDSTRIDE_ZERO_SUPPRESSION_ITEMS
#define GRIDSTRIDE_ZERO_SUPPRESSION_ITEMS

#ifdef STORAGE16
#extension GL_EXT_shader_16bit_storage : require
#endif
#include "zero_suppression/rule.glsl"

#ifdef STORAGE16
#define ITEM int
layout(std430, binding = 0) restrict readonly buffer Samples { int16_t samples[]; };
layout(std430, binding = 1) restrict writeonly buffer Silenced { int16_t silenced[]; };

uint item_count() { return launch.count; }
int silence(int value) { return survives(value) ? value : 0; }

// [one]
int load(uint i) {
    return int(samples[i]);
}
void store(uint i, int value) {
    silenced[i] = int16_t(value);
}
// [/one]
#else
#define ITEM uint
layout(std430, binding = 0) restrict readonly buffer Samples { uint pairs[]; };
layout(std430, binding = 1) restrict writeonly buffer Silenced { uint silenced[]; };

// The last sample of an odd count has a word to itself: the other half is not a sample.
uint item_count() { return (launch.count + 1) / 2; }

// [two]
uint load(uint i) {
    return pairs[i];
}
void store(uint i, uint pair) {
    silenced[i] = pair;
}
// [/two]
#endif

#endif
