#version 450

// The whole layer in one kernel: intermediate values stay in registers. Reads 8 bytes per pixel and writes 4.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float gain;
#include "hidden_layer/layer.glsl"

layout(std430, binding = 0) readonly buffer Greyscales { vec4 greys[]; };
layout(std430, binding = 1) readonly buffer Weights { vec4 weights[]; };
layout(std430, binding = 2) writeonly buffer Activations { vec4 answers[]; };

// [layer]
vec4 layer(vec4 grey, vec4 weight) {
    const vec4 value = normalise(grey);
    const vec4 weighed = weigh(value, weight);
    return activate(launch.gain * weighed);
}
// [/layer]

void main() {
    const uint quads = quad_count();
    const uint grid = grid_size();
    uint i = gl_GlobalInvocationID.x;

    // [loop]
    // Two quads each of greys and weights:
    // four loads are in flight at once.
    while (i + grid < quads) {
        const vec4 a = greys[i];
        const vec4 b = greys[i + grid];
        const vec4 wa = weights[i];
        const vec4 wb = weights[i + grid];
        answers[i] = layer(a, wa);
        answers[i + grid] = layer(b, wb);
        i += 2 * grid;
    }
    for (; i < quads; i += grid)
        answers[i] =
            layer(greys[i], weights[i]);
    // [/loop]
}
