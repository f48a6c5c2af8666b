// Keeps a full disk from killing the process through the shader cache of Mesa's drivers.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride::gpu {

/// Whether the driver may use its disk cache, in this process and in its children.
struct DriverCache {
    std::filesystem::path folder;
    bool is_enabled = true;
    std::string disabled_reason;  ///< "No space left on device"; empty if on, or if the user turned it off
};

/// Mesa maps its cache's index into memory as a sparse file: the first page that the disk has no space for
/// kills the process with SIGBUS, now or when the disk fills up. So this function allocates the index before
/// the driver is loaded, and sets MESA_SHADER_CACHE_DISABLE if that fails. Call it before other threads
/// start; later calls return the first result.
const DriverCache& guard_driver_cache();

/// Allocates the disk blocks of the file "index" in this folder, creating both if necessary. Returns the
/// reason if it fails, else an empty string.
std::string reserve_cache_index(const std::filesystem::path& folder);

}  // namespace gridstride::gpu
