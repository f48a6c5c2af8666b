#version 450

// compact, second launch, one workgroup: turns the counts of the tiles into the positions of their survivors, replacing each
// count by the sum of the counts before it. The final sum is the number of all survivors.
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"

layout(std430, binding = 0) restrict buffer TileCounts { uvec4 tile_counts[]; };  // four per load
layout(std430, binding = 1) restrict buffer KeptCount { uint kept_count; };

shared uint scratch[gl_WorkGroupSize.x];
#include "zero_suppression/scan.glsl"

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;

    // The sum of the previous tiles' counts, initially 0. Only invocation 0 accesses it in memory.
    if (lane == 0) scratch[0] = place_of(0) == 0 ? 0 : kept_count;
    barrier();
    uint before = scratch[0];
    barrier();

    for (uint start = 0; start < launch.count; start += 4 * size) {
        const uint i = start / 4 + lane;
        const bool here = 4 * i < launch.count;
        // Tiles past the last one count as 0, whatever their memory contains.
        const bvec4 is_tile = lessThan(4 * i + uvec4(0, 1, 2, 3), uvec4(launch.count));
        const uvec4 counts = here ? mix(uvec4(0), tile_counts[i], is_tile) : uvec4(0);

        // [places]
        uvec4 place;  // of four tiles
        place.x = 0;
        place.y = counts.x;
        place.z = place.y + counts.y;
        place.w = place.z + counts.z;
        const uint mine = place.w + counts.w;
        const uint up_to_me = sum_up_to_me(mine);
        place += before + up_to_me - mine;
        // [/places]
        if (here) tile_counts[i] = place;

        before += scratch[size - 1];
        barrier();  // all have read it
    }
    if (lane == 0) kept_count = before;
}
