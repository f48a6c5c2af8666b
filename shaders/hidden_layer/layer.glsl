// The arithmetic of the layer for one quad (four pixels in one load of 16 bytes), and the quads of an invocation. Shared by the
// kernels of the three steps and the fused kernel, which differ only in what goes through memory.
//
// The includer defines PARAMETERS as "float gain;" if it activates.
#ifndef GRIDSTRIDE_HIDDEN_LAYER
#define GRIDSTRIDE_HIDDEN_LAYER

#include "common/launch.glsl"

layout(constant_id = 3) const bool as_written = false;  // true: the lesson's deliberate mistake

// Buffers are bound as a multiple of 16 bytes, so the last quad is loaded and stored whole: past the last pixel there is only
// padding.
uint quad_count() { return (launch.count + 3) / 4; }

// Invocations of the whole launch: the stride from one quad of an invocation to the next.
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

#include "common/tanh.glsl"

vec4 activate(vec4 v) { return as_written ? tanh_as_written(v) : tanh_stable(v); }

#endif
