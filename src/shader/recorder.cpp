#include "shader/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "trace/trace.h"

namespace gridstride::shader {

namespace {

/// `$` stands for gridstride_, which people's own names will hardly begin with. They may have macros of any
/// other name, so the words of the language that stand here are made words again. Parameters are `const in`:
/// others become pointers. The buffer's words are numbers, whatever the kernel calls an element.
constexpr std::string_view text = R"(
#undef const
#undef in
#undef void
#undef bool
#undef uint
#undef uvec4
#undef float
#undef false
#undef layout
#undef set
#undef binding
#undef std430
#undef coherent
#undef buffer
#undef if
#undef for
#undef else
#undef atomicAdd
#undef mix
#undef x
#undef y
#undef z
#undef w
layout(set = 0, binding = $binding, std430) coherent buffer $Recording { uint $words[]; };
uint $slice, $group, $invocation, $capacity, $sequence, $epoch, $subgroup_epoch, $left_out, $most_left_out, $end_at;
bool $in_range, $counts, $records;

// Drivers put a copy of $record() wherever it is called: what need not stand there is done here and in $end().
// No initialisers above: the kernel's own stand before them, and those may read buffers.
void $begin(const in uint $first_of_slice, const in uint $first_workgroup) {
    $slice = $first_of_slice;
    $group = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z) +
             $first_workgroup * $words[$head_below];
    $invocation = gl_LocalInvocationIndex | gl_SubgroupInvocationID << 12u | gl_SubgroupID << 19u;
    $capacity = $words[$head_capacity];
    $in_range = $group >= $words[$head_first] && $group <= $words[$head_last];
    $counts = $words[$head_counting] != 0u;
    $records = $in_range && !$counts && $words[$head_used] <= $capacity;
    $sequence = 0u;
    $epoch = 0u;
    $subgroup_epoch = 0u;

    // What the invocations add up must stay below 2^32: 2^31 over 1024 invocations, and over the workgroups where
    // they share a number.
    float $all = float(gl_NumWorkGroups.x) * float(gl_NumWorkGroups.y) * float(gl_NumWorkGroups.z);
    float $asked = float($words[$head_last] - $words[$head_first]) + 1.0;
    float $groups = $counts ? 1.0 : $all < $asked ? $all : $asked;
    $most_left_out = uint(2097152.0 / $groups) + 1u;
    $left_out = 0u;
    $end_at = 0xffffffffu;
}

// A software driver takes time that grows with the square of the branches, and a store is several to it: one test, and
// one store in a loop whose length it cannot foretell. mix() of numbers by a truth is no branch.
void $record(const in uint $site, const in uint $offset, const in uint $values, const in uvec4 $value) {
    uint $length = $record_values + $values;
    if ($records) {
        uint $at = atomicAdd($words[$head_used], $length);
        $records = $at + $length <= $capacity;
        $end_at = mix($at, $end_at, $records);
        uint $stop = mix($at, $at + $length, $records);
        for (uint $to = $at; $to < $stop; ++$to) {
            uint $n = $to - $at;
            uint $word = mix($value.w, $site, $n == $record_site);
            $word = mix($word, $group, $n == $record_workgroup);
            $word = mix($word, $invocation, $n == $record_invocation);
            $word = mix($word, $slice, $n == $record_slice);
            $word = mix($word, $sequence, $n == $record_sequence);
            $word = mix($word, $epoch, $n == $record_epoch);
            $word = mix($word, $subgroup_epoch, $n == $record_subgroup_epoch);
            $word = mix($word, $offset, $n == $record_offset);
            $word = mix($word, $value.x, $n == $record_values);
            $word = mix($word, $value.y, $n == $record_values + 1u);
            $word = mix($word, $value.z, $n == $record_values + 2u);
            $words[$head + $to] = $word;
        }
    }
    $left_out += mix(mix(1u, $length, $counts), 0u, $records || $left_out >= $most_left_out);
    $sequence += 1u;
}

void $barrier(const in uint $site, const in uint $of_workgroup) {
    $record($site, 0u, 0u, uvec4(0u, 0u, 0u, 0u));
    $epoch += $of_workgroup;
    $subgroup_epoch += 1u;
}

void $add(const in uint $at, const in uint $more) {
    if ($more > 0u && $words[$at] < 0x80000000u) atomicAdd($words[$at], $more);
}

// Wherever the kernel comes to its end.
void $end() {
    if ($in_range) {
        if ($counts) {
            $add($head + $group - $words[$head_first], $left_out);
        } else {
            $add($head_lost, $left_out);
            // Of those that found no room the first: the others would have begun behind the capacity.
            if ($end_at <= $capacity) $words[$head_end] = $end_at;
        }
    }
}
)";

}  // namespace

std::string recorder(std::uint32_t binding) {
    using namespace trace;
    const std::pair<std::string_view, std::uint32_t> numbers[] = {
        {"head", words::head},
        {"head_used", words::used},
        {"head_capacity", words::capacity},
        {"head_first", words::first},
        {"head_last", words::last},
        {"head_lost", words::lost},
        {"head_counting", words::counting},
        {"head_below", words::below},
        {"head_end", words::end},
        {"record_site", words::site},
        {"record_workgroup", words::workgroup},
        {"record_invocation", words::invocation},
        {"record_slice", words::slice},
        {"record_sequence", words::sequence},
        {"record_epoch", words::epoch},
        {"record_subgroup_epoch", words::subgroup_epoch},
        {"record_offset", words::offset},
        {"record_values", words::values},
    };
    // The kernel's last line may end in a backslash: the first line here is empty.
    std::string source =
        "\n\n#extension GL_GOOGLE_cpp_style_line_directive : enable\n"
        "#extension GL_KHR_shader_subgroup_basic : enable\n#line 1 \"recording\"\n";
    source += fmt::format("#define $binding {}\n", binding);
    for (const auto& [name, number] : numbers)
        source += fmt::format("#define ${} {}u\n", name, number);
    source += text;

    std::string named;
    for (const char c : source) {
        if (c == '$')
            named += "gridstride_";
        else
            named += c;
    }
    return named;
}

}  // namespace gridstride::shader
