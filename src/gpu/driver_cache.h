// The disk cache of Mesa's drivers, which must not end a process.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride::gpu {

/// What the driver may do on disk in this process and in those that it starts.
struct DriverCache {
    std::filesystem::path folder;
    bool on = true;
    std::string why_off;  ///< "No space left on device"; empty while it is on, or off as the person wishes
};

/// Mesa maps its cache's index into memory, a file of holes: the first page that the disk has no room for
/// ends the process (SIGBUS), today or when the disk fills up. So the index gets its room before the driver
/// is loaded; where it cannot have it, MESA_SHADER_CACHE_DISABLE is set. Called once before there are
/// threads; later calls return what was found then.
const DriverCache& guard_driver_cache();

/// Gives the file "index" of this folder its room and makes both where they are missing. Returns why that is
/// not possible, in a few words; empty when it is done.
std::string reserve_cache_index(const std::filesystem::path& folder);

}  // namespace gridstride::gpu
