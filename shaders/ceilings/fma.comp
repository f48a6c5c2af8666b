#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for arithmetic: eight independent chains of multiply-adds per invocation, all in registers, so that no
// operation waits for the previous one. 64 operations per iteration, counting a multiply-add as two.
// [build f32]
// [build f16] HALF=1
#ifdef HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define Numbers f16vec4
#else
#define Numbers vec4
#endif
#define PARAMETERS float factor; float summand;
#include "common/launch.glsl"

layout(std430, binding = 0) writeonly buffer Result { vec4 result[]; };

void main() {
    Numbers a = Numbers(vec4(gl_LocalInvocationID.x) + vec4(0.0, 0.25, 0.5, 0.75));
    Numbers b = a + Numbers(1.0);
    const Numbers factor = Numbers(launch.factor);
    const Numbers summand = Numbers(launch.summand);
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
    // Rarely true, which the compiler cannot know: without a use of the results it would remove the chains.
    if (a.x == b.x) result[0] = vec4(a + b);
}
