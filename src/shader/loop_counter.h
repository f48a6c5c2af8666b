// A kernel made to count the turns of its loops. A driver that ends loops silently counts all loops of a
// subgroup's invocations together; so does this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::shader {

/// GLSL to compile behind the kernel's own source: functions that count into the storage buffer of u32 at set
/// 0 and this binding. Word 0 of it becomes the most turns that a subgroup made in one dispatch; the other
/// words, one a subgroup, are scratch. With fewer words subgroups share one, and the count is too high, never
/// too low.
std::string turn_counter(std::uint32_t binding);

/// The module that such a source makes, with calls of the counter at the head of each loop. A loop that is
/// never entered again counts one turn more than its body ran. Throws std::runtime_error where the module
/// lacks the counter.
std::vector<std::uint32_t> count_turns(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
