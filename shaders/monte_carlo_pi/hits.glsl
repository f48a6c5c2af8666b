// Shared by the kernels of this lesson: the parameters of each launch, and the counters of its hits.
#ifndef GRIDSTRIDE_HITS
#define GRIDSTRIDE_HITS

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS uint seed; uint run;
#include "common/launch.glsl"

// One counter per launch; all are 0 before the first.
layout(std430, binding = 0) buffer Hits { uint hits[]; };

shared uint together;

// Every invocation calls this once, with its number of hits.
void store_hits(uint mine) {
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

// The index of this invocation, and the number of invocations.
uint global_index() { return gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }
uint invocation_count() { return launch.workgroup_count * gl_WorkGroupSize.x; }

#endif
