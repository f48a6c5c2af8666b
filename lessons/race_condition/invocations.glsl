// Shared by the kernels of this lesson.

// The index of this invocation, and the number of invocations.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }
