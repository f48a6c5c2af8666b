#version 450
#extension GL_GOOGLE_include_directive : require
// The reference for barriers: workgroups that do nothing but wait for each other's invocations.
#include "common/launch.glsl"

void main() {
    for (uint iteration = 0; iteration < launch.count; ++iteration) barrier();
}
