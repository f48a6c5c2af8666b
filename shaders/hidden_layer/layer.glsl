// What the layer does to one quad, four pixels that one load of 16 bytes brings, and which quads an invocation takes. The
// kernels of three steps and the fused one have this in common: they differ in what goes through memory, and in that alone.
//
// The includer defines PARAMETERS as "float gain;" where it activates.
#ifndef GRIDSTRIDE_HIDDEN_LAYER
#define GRIDSTRIDE_HIDDEN_LAYER

#include "common/launch.glsl"

layout(constant_id = 3) const bool as_written = false;  // true: the lesson's deliberate mistake

// Buffers are bound as a multiple of 16 bytes, so the last quad is loaded, and stored, whole: what lies beyond the last
// pixel is padding.
uint quad_count() { return (launch.count + 3) / 4; }

// Invocations of the whole launch: how far an invocation steps from one of its quads to the next.
uint grid_size() { return launch.workgroup_count * gl_WorkGroupSize.x; }

// [normalise]
vec4 normalise(vec4 grey) {
    return grey / 255.0;
}
// [/normalise]

// [weigh]
vec4 weigh(vec4 value, vec4 weight) {
    return value * weight;
}
// [/weigh]

// [as_written]
vec4 tanh_as_written(vec4 v) {
    const vec4 up = exp(v);
    const vec4 down = exp(-v);
    return (up - down) / (up + down);
}
// [/as_written]

// [stable]
vec4 tanh_stable(vec4 v) {
    const vec4 size = abs(v);

    // Far from 0: e^(-2|v|) is at most 1,
    // so nothing overflows.
    const vec4 q = exp(-2.0 * size);
    vec4 far = (1.0 - q) / (1.0 + q);
    far *= sign(v);

    // Near 0: v and an odd series, so
    // nothing cancels.
    const vec4 s = v * v;
    vec4 p = vec4(-5.70498872745e-3);
    p = p * s + 2.06390887954e-2;
    p = p * s - 5.37397155531e-2;
    p = p * s + 1.33314422036e-1;
    p = p * s - 3.33332819422e-1;
    const vec4 near = v + v * (s * p);

    const bvec4 is_near =
        lessThan(size, vec4(0.625));
    return mix(far, near, is_near);
}
// [/stable]
// The series' coefficients: S. L. Moshier, Cephes Mathematical Library, tanhf.c: within 1.3e-7 of tanh, relative, for
// |v| < 0.625.

vec4 activate(vec4 v) { return as_written ? tanh_as_written(v) : tanh_stable(v); }

#endif
