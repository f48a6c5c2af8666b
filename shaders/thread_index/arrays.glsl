// What the kernels of this lesson share: two arrays to be added, the results, a note of which element one invocation came
// to, and how many had none. The arrays are as many rows of `width` numbers as there are, one behind another in memory.
#define PARAMETERS uint width; uint height; uint watched_workgroup; uint watched_invocation;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) readonly buffer Y { uint y[]; };
layout(std430, binding = 2) writeonly buffer Results { uint results[]; };
layout(std430, binding = 3) writeonly buffer Watched { uint element_of_watched; };
layout(std430, binding = 4) buffer Idle { uint idle; };

// The invocation that is watched leaves the number of its element.
void note_element(uint i) {
    const uint my_workgroup = (launch.first_workgroup + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (my_workgroup == launch.watched_workgroup && gl_LocalInvocationIndex == launch.watched_invocation)
        element_of_watched = i;
}

// Whoever has no element counts itself.
void nothing_to_do() { atomicAdd(idle, 1); }
