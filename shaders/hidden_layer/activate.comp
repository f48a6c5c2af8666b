#version 450

// The third of three steps: tanh of each value, in place. Reads 4 bytes per pixel and writes 4.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float gain;
#include "hidden_layer/layer.glsl"

layout(std430, binding = 0) buffer Values { vec4 values[]; };

void main() {
    const uint quads = quad_count();
    const uint grid = grid_size();
    const float gain = launch.gain;
    uint i = gl_GlobalInvocationID.x;

    // [loop]
    while (i + 3 * grid < quads) {
        const vec4 a = gain * values[i];
        const vec4 b = gain * values[i + grid];
        const vec4 c = gain * values[i + 2 * grid];
        const vec4 d = gain * values[i + 3 * grid];
        values[i] = activate(a);
        values[i + grid] = activate(b);
        values[i + 2 * grid] = activate(c);
        values[i + 3 * grid] = activate(d);
        i += 4 * grid;
    }
    for (; i < quads; i += grid)
        values[i] = activate(gain * values[i]);
    // [/loop]
}
