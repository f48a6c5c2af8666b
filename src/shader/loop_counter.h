// Instrumentation that counts loop iterations. Some drivers silently end loops after a number of iterations,
// counted over all loops and invocations of a subgroup; this counts the same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shader/recorder.h"

namespace gridstride::shader {

/// Returns GLSL to append to the kernel's source: functions that count into the u32 storage buffer at set 0
/// and this binding. Word 0 becomes the maximum number of iterations of a subgroup in one dispatch; the other
/// words, iteration_counter_words() of them, are scratch. With fewer words subgroups share them, and the
/// count may be too high but never too low. Requires subgroup ballots.
std::string iteration_counter_source(std::uint32_t binding);
/// Returns the number of scratch words. width: invocations of a workgroup along x.
std::uint64_t iteration_counter_words(std::uint64_t width, std::uint64_t invocations,
                                      std::uint64_t workgroups, std::uint64_t subgroup_size);

/// Adds calls of the counter at the head of each counted loop of a module with iteration_counter_source(). A
/// loop that is never entered again counts one iteration more than its body ran. Throws std::runtime_error if
/// the module lacks the counter.
std::vector<std::uint32_t> instrument_loops(const std::vector<std::uint32_t>& spirv, CountedLoops counted);

}  // namespace gridstride::shader
