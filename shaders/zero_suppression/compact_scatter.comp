#version 450
// [build storage16] STORAGE16=1 VALUE=int16_t
// [build words] VALUE=int

// compact, third launch: stores each survivor at its position. The second launch computed the position of its tile; within
// the tile, a prefix sum counts the survivors before it. So the order is kept without atomics.
//
// Without 16-bit storage the values are stored as 32 bits: neighbours that share a word may belong to two workgroups.
#extension GL_GOOGLE_include_directive : require
#ifdef STORAGE16
#extension GL_EXT_shader_16bit_storage : require
#endif
#include "zero_suppression/survivors.glsl"

layout(std430, binding = 1) restrict readonly buffer TilePlaces { uint tile_places[]; };
layout(std430, binding = 2) restrict writeonly buffer Positions { int positions[]; };
layout(std430, binding = 3) restrict writeonly buffer KeptValues { VALUE values[]; };

// First for the prefix sum, then for the tile's survivors, contiguous: 16 bits of position in the tile, 16 bits of value.
shared uint scratch[8 * gl_WorkGroupSize.x];
#include "zero_suppression/scan.glsl"

void main() {
    const uint size = gl_WorkGroupSize.x;
    const uint lane = gl_LocalInvocationIndex;
    const uint tile = 8 * size;

    for (uint start = gl_WorkGroupID.x * tile; start < launch.count; start += launch.workgroup_count * tile) {
        // [rank]
        const uint i = start / 8 + lane;
        const uvec4 eight = load_eight(i);
        const uint mask = survivors(eight, i);
        const uint mine = bitCount(mask);
        uint rank = sum_up_to_me(mine) - mine;
        const uint in_tile = scratch[size - 1];
        barrier();  // all have read scratch
        // [/rank]

        // [gather]
        for (uint k = 0; k < 8; ++k) {
            if ((mask >> k & 1) == 0) continue;
            const uint pair = eight[k / 2];
            const uint value =
                k % 2 == 0 ? pair & 0xFFFFu
                           : pair >> 16;
            const uint where = 8 * lane + k;
            scratch[rank++] = where << 16 | value;
        }
        barrier();
        // [/gather]

        // [write]
        const uint first = place_of(start);
        const uint to = tile_places[first / tile];
        for (uint j = lane; j < in_tile; j += size)
        {
            const uint both = scratch[j];
            const uint from = first + (both >> 16);
            positions[to + j] = int(from);
            values[to + j] = VALUE(low(both));
        }
        barrier();  // before the next tile
        // [/write]
    }
}
