#version 450

// The magnitudes of two samples in one word, in units of 1 / 8 192. sample_pairs.glsl has
// pulses[] and noise[], whose elements are two samples each, word_count() and store_word().
#extension GL_GOOGLE_include_directive : require
#include "transfers/sample_pairs.glsl"

void main() {
    // TODO: now each invocation makes one word at most, of its first sample alone.
    const uint i = global_index();
    if (i < word_count()) {
        const float sample_1 = pulses[i].x + noise[i].x;
        store_word(i, uint(abs(sample_1) * 8192.0));
    }
}
