#version 450
// [build storage16] STORAGE16=1
// [build words]

// compact_registers, third launch: stores each survivor at its place. A scan of the counts in registers ranks the survivors. Each
// subgroup gathers its own, and stores two neighbours at a time.
//
// Without 16-bit storage the values are stored as 32 bits: neighbours that share a word may belong to two workgroups.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#ifdef STORAGE16
#extension GL_EXT_shader_16bit_storage : require
#endif
#include "zero_suppression/tile.glsl"

layout(std430, binding = 1) restrict readonly buffer TilePlaces { uint tile_places[]; };
// Two at a time, or a single one.
layout(std430, binding = 2) writeonly buffer PositionPairs { ivec2 position_pairs[]; };
layout(std430, binding = 2) writeonly buffer Positions { int positions[]; };
#ifdef STORAGE16
layout(std430, binding = 3) writeonly buffer ValuePairs { uint value_pairs[]; };
layout(std430, binding = 3) writeonly buffer KeptValues { int16_t values[]; };
#else
layout(std430, binding = 3) writeonly buffer ValuePairs { ivec2 value_pairs[]; };
layout(std430, binding = 3) writeonly buffer KeptValues { int values[]; };
#endif

// For each subgroup, the survivors of a vector of each of its lanes, contiguous: 16 bits of position among these samples, 16 bits
// of value.
shared uint gathered[8 * gl_WorkGroupSize.x];
uint first_gathered() { return 8 * gl_SubgroupID * gl_SubgroupSize; }

void gather(uint v, uint rank) {
    uint to = first_gathered() + rank;
    [[unroll]] for (uint k = 0; k < 8; ++k) {
        if ((masks[v] >> k & 1) == 0) continue;
        const uint pair = own[v][k / 2];
        gathered[to++] = 8 * lane + k << 16 | (k % 2 == 0 ? pair & 0xFFFFu : pair >> 16);
    }
}

void store_one(uint to, uint from, uint first) {
    const uint survivor = gathered[first_gathered() + from];
    positions[to] = int(first + (survivor >> 16));
#ifdef STORAGE16
    values[to] = int16_t(low(survivor));
#else
    values[to] = low(survivor);
#endif
}

// Stores survivor `from` and the next one. `to` is even.
void store_two(uint to, uint from, uint first) {
    const uint a = gathered[first_gathered() + from];
    const uint b = gathered[first_gathered() + from + 1];
    position_pairs[to / 2] = ivec2(first + uvec2(a >> 16, b >> 16));
#ifdef STORAGE16
    value_pairs[to / 2] = a & 0xFFFFu | b << 16;
#else
    value_pairs[to / 2] = ivec2(low(a), low(b));
#endif
}

// Orders workgroup memory within the subgroup, which needs no barrier of the workgroup.
void wait_for_subgroup() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

void main() {
    for (uint start = gl_WorkGroupID.x * tile_size; start < launch.count; start += launch.workgroup_count * tile_size) {
        load_tile(start);
        uint ranks[vectors], counts[vectors];
        // [rank]
        uint of_subgroup = 0;
        [[unroll]]
        for (uint v = 0; v < vectors; ++v) {
            const uint mine = bitCount(masks[v]);
            ranks[v] = subgroupExclusiveAdd(mine);
            counts[v] = subgroupShuffle(
                ranks[v] + mine, lanes - 1);
            of_subgroup += counts[v];
        }
        uint total;
        uint to =
            sum_before_subgroup(of_subgroup, total);
        // [/rank]
        const uint first_of_tile = place_of(start);
        to += tile_places[first_of_tile / tile_size];

        [[unroll]]
        for (uint v = 0; v < vectors; ++v) {
            gather(v, ranks[v]);
            wait_for_subgroup();
            const uint first = first_of_tile + 8 * (vector_in_tile(v) - lane);
            // [write]
            // Pairs begin at an even place, so the
            // first and the last may be alone.
            const uint odd = to % 2;
            for (uint i = 2 * lane;
                 i < counts[v] + odd;
                 i += 2 * lanes) {
                const bool has_left = i >= odd;
                const bool has_right =
                    i + 1 - odd < counts[v];
                const uint from = i - odd;
                if (has_left && has_right)
                    store_two(to + from, from, first);
                else if (has_left)
                    store_one(to + from, from, first);
                else if (has_right)
                    store_one(to, 0, first);
            }
            // [/write]
            to += counts[v];
            wait_for_subgroup();
        }
        barrier();  // all have read the sums of the subgroups
    }
}
