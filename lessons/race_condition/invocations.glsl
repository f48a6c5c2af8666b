// Shared by the kernels of this lesson.

// The index of this invocation, and the number of invocations.
uint global_index() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint invocation_count() { return launch.workgroup_count * gl_WorkGroupSize.x; }
