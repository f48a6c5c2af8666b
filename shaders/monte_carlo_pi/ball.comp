#version 450

// Counts the random points of a cube that lie in an eighth of a ball: each invocation counts its own hits, each workgroup adds
// them up, and one of its invocations adds the sum to the counter.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define PARAMETERS uint seed; uint run;
#include "common/launch.glsl"
#include "common/philox.glsl"

layout(std430, binding = 0) buffer Hits { uint hits[]; };

shared uint together;

// The upper 24 bits: f32 holds them, and the largest stays below 1.
vec3 unit(uvec3 words) { return vec3(words >> 8) * (1.0 / 16777216.0); }

void main() {
    if (gl_LocalInvocationIndex == 0) together = 0;
    barrier();

    const uint everyone = launch.workgroup_count * gl_WorkGroupSize.x;
    uint mine = 0;
    for (uint e = gl_GlobalInvocationID.x; e < launch.count; e += everyone) {
        const vec3 point = unit(philox(uvec4(place_of(e), 0, 0, 0), uvec2(launch.seed, 0)).xyz);
        if (dot(point, point) < 1.0) ++mine;
    }

    const uint sum = subgroupAdd(mine);
    if (subgroupElect()) atomicAdd(together, sum);
    barrier();
    if (gl_LocalInvocationIndex == 0) atomicAdd(hits[launch.run], together);
}
