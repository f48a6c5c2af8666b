// What the kernels of this lesson share: what each launch is told, and where its hits are counted.
#ifndef GRIDSTRIDE_HITS
#define GRIDSTRIDE_HITS

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS uint seed; uint run;
#include "common/launch.glsl"

// One counter for each launch; all begin at 0.
layout(std430, binding = 0) buffer Hits { uint hits[]; };

shared uint together;

// Every invocation calls this, once, with what it has counted.
void leave_hits(uint mine) {
    // [leave]
    if (gl_LocalInvocationIndex == 0)
        together = 0;
    barrier();
    const uint sum = subgroupAdd(mine);
    if (subgroupElect())
        atomicAdd(together, sum);
    barrier();
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(hits[launch.run], together);
    // [/leave]
}

// The number of this invocation, and of all.
uint me() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint everyone() { return launch.workgroup_count * gl_WorkGroupSize.x; }

#endif
