#version 450

// The magnitudes of two samples in one word, in units of 1 / 8 192: half the bytes that they have as f32.
#extension GL_GOOGLE_include_directive : require
#include "transfers/sample_pairs.glsl"

void main() {
    for (uint i = global_index(); i < word_count(); i += invocation_count()) {
        const vec2 samples = pulses[i] + noise[i];
        const uvec2 steps = uvec2(abs(samples) * 8192.0);
        const bool has_second = 2 * i + 1 < launch.count;
        store_word(i, has_second ? steps.x | steps.y << 16 : steps.x);
    }
}
