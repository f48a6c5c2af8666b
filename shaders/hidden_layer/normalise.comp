#version 450

// The first of three steps: scales grey levels to values from 0 to 1. Reads 4 bytes per pixel and writes 4.
#extension GL_GOOGLE_include_directive : require
#include "hidden_layer/layer.glsl"

layout(std430, binding = 0) readonly buffer Greyscales { vec4 greys[]; };
layout(std430, binding = 1) writeonly buffer Values { vec4 values[]; };

void main() {
    const uint quads = quad_count();
    const uint grid = grid_size();
    uint i = gl_GlobalInvocationID.x;

    // [loop]
    // Four loads are in flight at once.
    while (i + 3 * grid < quads) {
        const vec4 a = greys[i];
        const vec4 b = greys[i + grid];
        const vec4 c = greys[i + 2 * grid];
        const vec4 d = greys[i + 3 * grid];
        values[i] = normalise(a);
        values[i + grid] = normalise(b);
        values[i + 2 * grid] = normalise(c);
        values[i + 3 * grid] = normalise(d);
        i += 4 * grid;
    }
    for (; i < quads; i += grid)
        values[i] = normalise(greys[i]);
    // [/loop]
}
