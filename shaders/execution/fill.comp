#version 450

// Sets every 4 bytes of a buffer to one word: a plan's Fill step. A transfer command does the same, but switching from
// transfers to kernels takes a GPU longer than this: on an NVIDIA H200 two fills by command before a short kernel cost
// 6.3 us, the same two by this kernel 2.4 us.
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS uint word;
#include "common/launch.glsl"

// An element is 16 bytes here: buffers are bound as a multiple of that.
layout(std430, binding = 0) writeonly buffer Quads { uvec4 quads[]; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count) quads[i] = uvec4(launch.word);
}
