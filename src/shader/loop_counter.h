// A kernel made to count the turns of its loops. A driver that ends loops silently counts all loops of a
// subgroup's invocations together; so does this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shader/recorder.h"

namespace gridstride::shader {

/// GLSL to compile behind the kernel's own source: functions that count into the storage buffer of u32 at set
/// 0 and this binding. Word 0 of it becomes the most turns that a subgroup made in one dispatch; the other
/// words, counters_of_turns() of them, are scratch. With fewer words subgroups share one, and the count is
/// too high, never too low. Needs subgroup ballots.
std::string turn_counter(std::uint32_t binding);
/// width: invocations of a row of a workgroup.
std::uint64_t counters_of_turns(std::uint64_t width, std::uint64_t invocations, std::uint64_t workgroups,
                                std::uint64_t subgroup_size);

/// The module that such a source makes, with calls of the counter at the head of each of these loops. A loop
/// that is never entered again counts one turn more than its body ran. Throws std::runtime_error where the
/// module lacks the counter.
std::vector<std::uint32_t> count_turns(const std::vector<std::uint32_t>& spirv, CountedLoops counted);

}  // namespace gridstride::shader
