#version 450

// Several workgroups share a row. Each keeps a part of it in registers, publishes the maximum and sum of its part, and waits for those
// of the other parts, so that each number is read once although no workgroup has registers for the row.
//
// Vulkan does not promise that a workgroup starts, or makes progress, while another one waits for it. So a workgroup stops waiting
// after a number of polls, and reads the whole row itself.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_memory_scope_semantics : require
#include "softmax/shares.glsl"
#include "softmax/online.glsl"

layout(constant_id = 6) const uint parts_of_row = 1;
layout(constant_id = 7) const uint quads_of_part = 1;
layout(constant_id = 8) const uint max_loading_rows = 1;
// The number of parts that have been published; then for each row, the number of workgroups that have read what the others published,
// and two words for each part. All are 0 before the first launch, and each launch leaves them 0.
layout(std430, binding = 2) buffer Words { uint words[]; };

const uint max_polls = 1000;  // of an invocation, for all rows of its workgroup
uint polls_left = max_polls;

// [words]
// A published word is never 0: these are the
// bits of a NaN that no operation returns.
const uint unpublished = 0x7f800001u;

void publish_word(uint i, float number) {
    atomicStore(words[i],
        floatBitsToUint(number) ^ unpublished,
        gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}
uint load_word(uint i) {
    return atomicLoad(words[i],
        gl_ScopeDevice,
        gl_StorageSemanticsNone,
        gl_SemanticsRelaxed);
}

// Returns false if it stopped waiting.
bool wait_for(uint i, out Part part) {
    uvec2 found;
    do {
        found = uvec2(load_word(i),
                      load_word(i + 1));
        if (found.x != 0 && found.y != 0) {
            found ^= unpublished;
            part = Part(uintBitsToFloat(found.x),
                        uintBitsToFloat(found.y));
            return true;
        }
    } while (polls_left-- > 0);
    polls_left = 0;
    return false;
}
// [/words]

uint words_of_row(uint row) { return 1 + row * (1 + 2 * parts_of_row); }

uint add_one(uint i) {
    return atomicAdd(words[i], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
void reset(uint i) {
    atomicStore(words[i], 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Delays the loads of a row while those of many rows are in flight, so that not all resident workgroups load at the same time. On an
// H200, rows of 2^18 numbers took 2 % more time without this.
void wait_for_turn(uint row) {
    if (rank == 0)
        while (load_word(0) + max_loading_rows * parts_of_row < row * parts_of_row && polls_left > 0) --polls_left;
    barrier();
}

// Part n of all rows. It may be empty.
Row part_at(uint n) {
    const Row row = row_at(n / parts_of_row);
    const uint before = 4 * (uint(row.first_quad) + n % parts_of_row * quads_of_part);
    return row_of_range(clamp(before, row.begin, row.end), clamp(before + 4 * quads_of_part, row.begin, row.end));
}

shared uint invocations_that_gave_up;

void main() {
    const uint part_count = launch.count * parts_of_row, workgroup_count = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
    for (uint n = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; n < part_count; n += workgroup_count) {
        const Row part = part_at(n);
        const uint begin = words_of_row(n / parts_of_row);
        if (rank == 0) invocations_that_gave_up = 0;
        if (max_loading_rows < launch.count) wait_for_turn(n / parts_of_row);
        uint publishers = 0;  // before this workgroup
        // [share]
        Part mine = nothing();
        for (uint r = part.rounds; r-- > 0;) {
            load(part, r);
            mine = with_held(mine);
        }
        const Part own = of_team(mine);
        if (rank == 0) {
            const uint word =
                begin + 1 + 2 * (n % parts_of_row);
            publish_word(word, own.maximum);
            publish_word(word + 1, own.sum);
            publishers = add_one(0);
        }

        Part all = nothing();
        for (uint p = rank; p < parts_of_row;
             p += team) {
            Part other;
            if (wait_for(begin + 1 + 2 * p, other))
                all = merged(all, other);
            else
                atomicAdd(invocations_that_gave_up,
                          1);
        }
        all = of_team(all);
        // [/share]
        uint readers = 0;  // before this workgroup
        if (rank == 0) readers = add_one(begin);

        // of_team() has barriers after the last addition.
        const bool gave_up = invocations_that_gave_up > 0;
        if (gave_up) {
            const Row row = row_at(n / parts_of_row);
            all = nothing();
            for (uint r = row.rounds; r-- > 0;) {
                load(row, r);
                all = with_held(all);
            }
            all = of_team(all);
        }
        const float inverse = 1.0 / all.sum;
        if (!gave_up) store(part, 0, inverse * exp(mine.maximum - all.maximum));
        for (uint r = gave_up ? 0 : 1; r < part.rounds; ++r) {
            load(part, r);
            exponentiate(all.maximum);
            store(part, r, inverse);
        }

        // The last workgroup resets what no other one reads any longer.
        if (rank == 0 && readers == parts_of_row - 1)
            for (uint w = 0; w <= 2 * parts_of_row; ++w) reset(begin + w);
        if (rank == 0 && publishers == part_count - 1) reset(0);
        barrier();  // others may still read invocations_that_gave_up
    }
}
