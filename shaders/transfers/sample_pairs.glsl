// The inputs of the student's kernel: pulses and noise, two neighbours per load, and the words that go back to the host.
#include "common/launch.glsl"

// Bound as a multiple of 16 bytes, so the last load is valid even if it returns only one sample.
layout(std430, binding = 0) readonly buffer Pulses { vec2 pulses[]; };
layout(std430, binding = 1) readonly buffer Noise { vec2 noise[]; };
layout(std430, binding = 2) writeonly buffer Words { uint words[]; };

// The index of this invocation, and the number of invocations.
uint global_index() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint invocation_count() { return launch.workgroup_count * gl_WorkGroupSize.x; }

// Word i holds samples 2 * i and 2 * i + 1: the first in its lower 16 bits, the second in its upper 16.
uint word_count() { return (launch.count + 1) / 2; }
void store_word(uint i, uint word) { words[place_of(2 * i) / 2] = word; }
