// What the kernels with a counter share: one counter for each run, to which every invocation that has an element adds 1.
// A kernel may say before how the counters are declared:
//     #define COUNTER coherent
#define PARAMETERS uint run;
#include "common/launch.glsl"

#ifndef COUNTER
#define COUNTER
#endif
layout(std430, binding = 0) COUNTER buffer Counts { uint counts[]; };

// The number of this invocation, and of all.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }
