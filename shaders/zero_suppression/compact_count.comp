#version 450

// compact, first launch: counts the surviving samples of each tile. A tile is what a workgroup processes in one pass, eight
// consecutive samples per invocation.
#extension GL_GOOGLE_include_directive : require
#include "zero_suppression/survivors.glsl"

layout(std430, binding = 1) restrict writeonly buffer TileCounts { uint tile_counts[]; };

shared uint counts[gl_WorkGroupSize.x];

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = 8 * size;

    for (uint start = gl_WorkGroupID.x * tile; start < launch.count; start += launch.workgroup_count * tile) {
        // [count]
        const uint i = start / 8 + lane;
        const uvec4 eight = load_eight(i);
        const uint mask = survivors(eight, i);
        counts[lane] = bitCount(mask);
        barrier();
        // [/count]

        // The tree of the reduction lesson.
        for (uint values = size; values > 1;) {
            const uint keep = (values + 1) / 2;
            if (lane + keep < values) counts[lane] += counts[lane + keep];
            barrier();
            values = keep;
        }
        if (lane == 0) tile_counts[place_of(start) / tile] = counts[0];
    }
}
