#version 450

// Eight operations on each number: exp, + 1, log, exp, + 1, log, exp, + 1.
// Numbers are processed four at a time.
#extension GL_GOOGLE_include_directive : require
#include "tensor/elements.glsl"

layout(std430, binding = 0) readonly buffer ABuffer { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer YBuffer { vec4 y[]; };

void main() {
    for (uint q = first_quad(); q < quads(); q += step_of_quads()) {
        // TODO: this is only the first operation, as eager execution runs it.
        const vec4 t1 = exp(a[q]);
        y[q] = t1;
    }
}
