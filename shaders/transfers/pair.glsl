// What the kernels of this lesson are given: pulses, and the noise that is to be added to them.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Pulses { float pulses[]; };
layout(std430, binding = 1) readonly buffer Noise { float noise[]; };

// The number of this invocation, and of all.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }
