// The processor's caches, as Linux tells them: what a software device computes in.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gridstride::gpu {

/// Bytes of the largest data or unified cache below this folder (index0, index1, … of sysfs, each with "type"
/// and "size"); 0 when there is none to be read.
std::uint64_t processor_cache_bytes(const std::filesystem::path& folder);

}  // namespace gridstride::gpu
