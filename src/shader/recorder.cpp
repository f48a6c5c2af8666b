#include "shader/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "shader/appended_code.h"
#include "trace/trace.h"

namespace gridstride::shader {

namespace {

/// Parameters are `const in`, because others become pointers. Indices into the head are numbers, so that
/// macros of the kernel cannot change them.
constexpr std::string_view text = R"(
struct $Record { uvec4 $first, $second, $value; };
layout(set = 0, binding = $binding, std430) coherent buffer $Trace { uint $head[$head_words]; $Record $list[]; };
uint $slice, $group, $invocation, $capacity, $sequence, $epoch, $subgroup_epoch, $left_out, $max_left_out;
bool $in_range, $counts, $records;
#if $stays
uvec2 $begun;
#endif
#if $branches
struct $BranchRecord {
    uvec4 $first, $second;
#if $wide_subgroups
    uvec4 $third, $fourth;
#endif
};
layout(set = 0, binding = $branch_binding, std430) coherent buffer $Branches {
    uint $branch_head[$branch_head_words];
    $BranchRecord $branch_list[];
};
uint $branch_capacity, $branches_left_out;
bool $in_branch_range, $records_branches;
#endif

// Drivers inline each call of $record(), so work that can be done once is done here and in $end(). The variables
// above have no initialisers: the kernel's own come before them, and those may read buffers.
void $begin(const in uint $first_of_slice, const in uint $first_workgroup) {
    $slice = $first_of_slice;
    $group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z) +
             $first_workgroup * $head[$head_below];
    $invocation = gl_LocalInvocationIndex | gl_SubgroupInvocationID << 12u | gl_SubgroupID << 19u;
    $capacity = $head[$head_capacity];
    $in_range = $group >= $head[$head_first] && $group <= $head[$head_last];
    $counts = $head[$head_counting] != 0u;
    $records = $in_range && !$counts && $head[$head_used] <= $capacity;
    $sequence = 0u;
    $epoch = 0u;
    $subgroup_epoch = 0u;

    // The sum over all invocations must stay below 2^32, so each counts up to 2^31 / 1024 invocations, divided by the
    // number of workgroups that share a counter.
    float $all = float(gl_NumWorkGroups.x) * float(gl_NumWorkGroups.y) * float(gl_NumWorkGroups.z);
    float $requested = float($head[$head_last] - $head[$head_first]) + 1.0;
    float $groups = $counts ? 1.0 : $all < $requested ? $all : $requested;
    $max_left_out = uint(2097152.0 / $groups) + 1u;
    $left_out = 0u;
#if $branches
    $branch_capacity = $branch_head[$branch_capacity_word];
    $in_branch_range = $in_range && $group <= $branch_head[$branch_last];
    $records_branches = $in_branch_range && !$counts && $branch_head[$branch_used] <= $branch_capacity;
    $branches_left_out = 0u;
#endif
#if $stays
    $begun = clockRealtime2x32EXT();
#endif
}

// There is no loop, because a driver that limits loop iterations would count it with the kernel's own. There is one
// branch, because a software driver needs time that grows with the square of the number of branches: a record that
// does not fit goes into an unused slot after the others. mix() with a bool is not a branch.
void $record(const in uint $site, const in uint $offset, const in uvec4 $value) {
    if ($records) {
#if $ballots
        uvec4 $together = subgroupBallot(true);
        bool $leads = subgroupElect();
        uint $at = subgroupBroadcastFirst(atomicAdd($head[$head_used],
                                                    mix(0u, subgroupBallotBitCount($together), $leads))) +
                   subgroupBallotExclusiveBitCount($together);
        uint $who = $invocation | mix(0u, 1u << 31u, $leads);
#else
        uint $at = atomicAdd($head[$head_used], 1u);
        uint $who = $invocation;
#endif
        $records = $at < $capacity;
        $list[min($at, $capacity)] = $Record(uvec4($site, $group, $who, $slice),
                                             uvec4($sequence, $epoch, $subgroup_epoch, $offset), $value);
    }
    $left_out += mix(1u, 0u, $records || $left_out >= $max_left_out);
    $sequence += 1u;
}

void $barrier(const in uint $site, const in uint $of_workgroup, const in uint $turns, const in uint $turn) {
    $record($site, 0u, uvec4($turns, $turn, 0u, 0u));
    $epoch += $of_workgroup;
    $subgroup_epoch += 1u;
}

#if $branches
// The first active lane records for all. Without ballots each lane records for itself.
void $branch(const in uint $site, const in bool $is_true) {
#if $ballots
    uvec4 $active = subgroupBallot(true);
    uvec4 $taken = subgroupBallot($is_true);
    bool $leads = subgroupElect();
#else
    uvec4 $active = uvec4(0u);
    uvec4 $taken = uvec4(mix(0u, 1u, $is_true));
    const bool $leads = true;
#endif
    if ($records_branches && $leads) {
        uint $at = atomicAdd($branch_head[$branch_used], 1u);
        $records_branches = $at < $branch_capacity;
        $branch_list[min($at, $branch_capacity)] =
            $BranchRecord(uvec4($site, $group, $invocation, $slice),
                          uvec4($head[$head_used], $subgroup_epoch, $active.x, $taken.x)
#if $wide_subgroups
                          , uvec4($active.yzw, $taken.y), uvec4($taken.zw, 0u, 0u)
#endif
                          );
    }
    $branches_left_out += mix(0u, 1u, $leads && !$records_branches && $branches_left_out < $max_left_out);
}
#endif

// Called before each return of main.
void $end() {
    if ($in_range && $left_out > 0u) {
        if ($counts) {
            uint $n = $group - $head[$head_first];
            if ($list[$n].$first.x < 0x80000000u) atomicAdd($list[$n].$first.x, $left_out);
        } else if ($head[$head_lost] < 0x80000000u) {
            atomicAdd($head[$head_lost], $left_out);
        }
    }
#if $branches
    if ($in_branch_range && $branches_left_out > 0u) {
        if ($counts) {
            uint $n = min($group - $head[$head_first], $branch_capacity);
            if ($branch_list[$n].$first.x < 0x80000000u) atomicAdd($branch_list[$n].$first.x, $branches_left_out);
        } else if ($branch_head[$branch_lost] < 0x80000000u) {
            atomicAdd($branch_head[$branch_lost], $branches_left_out);
        }
    }
#endif
#if $stays
    if (!$counts && gl_LocalInvocationIndex == 0u && $group < $head[$head_placed])
        $list[$capacity + 1u + $group] =
            $Record(uvec4(gl_SMIDNV, 0u, 0u, 0u), uvec4(0u, 0u, 0u, 0u), uvec4($begun, clockRealtime2x32EXT()));
#endif
}
)";

}  // namespace

std::string recorder_source(const InstrumentationOptions& launch) {
    using namespace trace;
    static_assert(words::head % 4 == 0 && words::length == 12, "a record is three uvec4");
    static_assert(words::branch_head % 4 == 0 && words::branch_length == 8, "a branch record is two");
    const std::pair<std::string_view, std::uint32_t> numbers[] = {
        {"binding", launch.binding},
        {"head_words", words::head},
        {"head_used", words::used},
        {"head_capacity", words::capacity},
        {"head_first", words::first},
        {"head_last", words::last},
        {"head_lost", words::lost},
        {"head_counting", words::counting},
        {"head_below", words::below},
        {"head_placed", words::placed},
        {"branch_binding", launch.binding + 1},
        {"branch_head_words", words::branch_head},
        {"branch_used", words::branch_used},
        {"branch_capacity_word", words::branch_capacity},
        {"branch_last", words::branch_last},
        {"branch_lost", words::branch_lost},
    };
    std::string extensions;
    if (launch.ballots) extensions += "#extension GL_KHR_shader_subgroup_ballot : enable\n";
    if (launch.placements)
        extensions +=
            "#extension GL_NV_shader_sm_builtins : enable\n#extension GL_EXT_shader_realtime_clock : "
            "enable\n";
    std::string defines;
    const std::pair<std::string_view, bool> options[] = {
        {"ballots", launch.ballots},
        {"stays", launch.placements},
        {"branches", launch.branches},
        {"wide_subgroups", words::branch_record_length(launch.subgroup_size) > words::branch_length},
    };
    for (const auto& [name, is_on] : options)
        defines += fmt::format("#define ${} {}\n", name, is_on ? 1 : 0);
    for (const auto& [name, number] : numbers)
        defines += fmt::format("#define ${} {}u\n", name, number);
    return make_appended_code("trace", extensions, defines.append(text));
}

}  // namespace gridstride::shader
