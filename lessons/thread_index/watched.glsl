// Shared by the kernels of this lesson: one invocation is watched, and those without an element are counted.

// The watched invocation stores the index of its element.
void note_element(uint i) {
    const uint my_workgroup = (launch.first_workgroup + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (my_workgroup == watched_workgroup && gl_LocalInvocationIndex == watched_invocation) watched[0] = i;
}

// Each invocation without an element adds 1.
void nothing_to_do() { atomicAdd(idle[0], 1); }
