// Shared by the kernels of this lesson: pulses, and the noise to add to them.
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer Pulses { float pulses[]; };
layout(std430, binding = 1) readonly buffer Noise { float noise[]; };

// The index of this invocation, and the number of invocations.
uint global_index() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint invocation_count() { return launch.workgroup_count * gl_WorkGroupSize.x; }
