// Shared by the kernels of this lesson: two arrays to add, the results, the element that one watched invocation
// processed, and how many invocations had none. The arrays are row-major, with rows of `width` numbers.
#define PARAMETERS uint width; uint height; uint watched_workgroup; uint watched_invocation;
#include "common/launch.glsl"

layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) readonly buffer Y { uint y[]; };
layout(std430, binding = 2) writeonly buffer Results { uint results[]; };
layout(std430, binding = 3) writeonly buffer Watched { uint element_of_watched; };
layout(std430, binding = 4) buffer Idle { uint idle; };

// The watched invocation stores the index of its element.
void note_element(uint i) {
    const uint my_workgroup = (launch.first_workgroup + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (my_workgroup == launch.watched_workgroup && gl_LocalInvocationIndex == launch.watched_invocation)
        element_of_watched = i;
}

// Each invocation without an element adds 1.
void nothing_to_do() { atomicAdd(idle, 1); }
