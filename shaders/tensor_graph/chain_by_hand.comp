#version 450

// Eight operations on each number: exp, + 1, log, exp, + 1, log, exp, + 1.
// Numbers are processed four at a time, and intermediate results stay in
// registers.
#extension GL_GOOGLE_include_directive : require
#include "tensor/elements.glsl"

layout(std430, binding = 0) readonly buffer ABuffer { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer YBuffer { vec4 y[]; };

void main() {
    for (uint q = first_quad(); q < quads(); q += step_of_quads()) {
        const vec4 t1 = exp(a[q]);
        const vec4 t2 = t1 + 1.0;
        const vec4 t3 = log(t2);
        const vec4 t4 = exp(t3);
        const vec4 t5 = t4 + 1.0;
        const vec4 t6 = log(t5);
        const vec4 t7 = exp(t6);
        y[q] = t7 + 1.0;
    }
}
