// Instrumentation that counts loop iterations. A driver that ends loops silently counts all loops of a
// subgroup's invocations together; so does this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shader/recorder.h"

namespace gridstride::shader {

/// GLSL to compile behind the kernel's own source: functions that count into the storage buffer of u32 at set
/// 0 and this binding. Word 0 of it becomes the most iterations of a subgroup in one dispatch; the other
/// words, iteration_counters() of them, are scratch. With fewer words subgroups share one, and the count is
/// too high, never too low. Needs subgroup ballots.
std::string iteration_counter(std::uint32_t binding);
/// How many words that scratch needs. width: invocations of a row of a workgroup.
std::uint64_t iteration_counters(std::uint64_t width, std::uint64_t invocations, std::uint64_t workgroups,
                                 std::uint64_t subgroup_size);

/// The module that such a source makes, with calls of the counter at the head of each of these loops. A loop
/// that is never entered again counts one iteration more than its body ran. Throws std::runtime_error where
/// the module lacks the counter.
std::vector<std::uint32_t> count_iterations(const std::vector<std::uint32_t>& spirv, CountedLoops counted);

}  // namespace gridstride::shader
