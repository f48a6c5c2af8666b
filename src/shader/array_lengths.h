// Moves the queries for the lengths of storage buffers' arrays to the start of a kernel.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::shader {

/// Returns the module with every OpArrayLength of a variable executed once, where main begins, and its result
/// kept in a private variable. Mesa's software driver (26.1) crashes where no invocation of a subgroup is
/// active at an OpArrayLength in a loop: it takes the buffer's descriptor from the first active one. Call it
/// after passes that insert calls where main begins, whose functions query lengths, too.
std::vector<std::uint32_t> hoist_array_lengths(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
