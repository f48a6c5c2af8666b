#version 450

// The second of three steps: multiplies each value by its weight, in place. Reads 8 bytes per pixel and writes 4.
#extension GL_GOOGLE_include_directive : require
#include "hidden_layer/layer.glsl"

layout(std430, binding = 0) readonly buffer Weights { vec4 weights[]; };
layout(std430, binding = 1) buffer Values { vec4 values[]; };

void main() {
    const uint quads = quad_count();
    const uint grid = grid_size();
    uint i = gl_GlobalInvocationID.x;

    // [loop]
    while (i + grid < quads) {
        const vec4 a = values[i];
        const vec4 b = values[i + grid];
        const vec4 wa = weights[i];
        const vec4 wb = weights[i + grid];
        values[i] = weigh(a, wa);
        values[i + grid] = weigh(b, wb);
        i += 2 * grid;
    }
    for (; i < quads; i += grid)
        values[i] =
            weigh(values[i], weights[i]);
    // [/loop]
}
