// Shared by the kernels with a counter: one counter per run, to which every invocation that has an element adds 1.
// A kernel may define first how the counters are declared:
//     #define COUNTER coherent
#define PARAMETERS uint run;
#include "common/launch.glsl"

#ifndef COUNTER
#define COUNTER
#endif
layout(std430, binding = 0) COUNTER buffer Counts { uint counts[]; };

// The index of this invocation, and the number of invocations.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }
