#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for arithmetic: eight independent chains of f32 multiply-adds per invocation, all in registers, so that
// no operation waits for the previous one. 64 operations per iteration, counting a multiply-add as two.
#define PARAMETERS float factor; float summand;
#include "common/launch.glsl"

layout(std430, binding = 0) writeonly buffer Result { vec4 result[]; };

void main() {
    vec4 a = vec4(gl_LocalInvocationID.x) + vec4(0.0, 0.25, 0.5, 0.75);
    vec4 b = a + 1.0;
    const vec4 factor = vec4(launch.factor);
    const vec4 summand = vec4(launch.summand);
    for (uint i = 0; i < launch.count; ++i) {
        a = fma(a, factor, summand);
        b = fma(b, factor, summand);
        a = fma(a, factor, summand);
        b = fma(b, factor, summand);
        a = fma(a, factor, summand);
        b = fma(b, factor, summand);
        a = fma(a, factor, summand);
        b = fma(b, factor, summand);
    }
    // Never true, which the compiler cannot know: without a use of the results it would remove the chains.
    if (a.x == b.x) result[0] = a + b;
}
