#include "gpu/driver_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <system_error>

#include "base/file.h"
#include "base/units.h"

namespace gridstride::gpu {

namespace {

namespace fs = std::filesystem;

constexpr const char* switch_name = "MESA_SHADER_CACHE_DISABLE";
/// Mesa's index has 1.3 MB, so this is enough.
constexpr off_t index_bytes = off_t{2} << 20;
/// Free space that is enough on file systems that cannot preallocate.
constexpr std::uint64_t min_free_bytes = std::uint64_t{64} << 20;

/// Mirrors Mesa's choice of the folder.
fs::path cache_folder() {
    fs::path parent = cache_directory().parent_path();
    for (const char* variable : {"XDG_CACHE_HOME", "MESA_GLSL_CACHE_DIR", "MESA_SHADER_CACHE_DIR"})
        if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
            parent = value;
    return parent / "mesa_shader_cache";
}

/// Mirrors how Mesa reads a boolean environment variable.
bool is_switched_off() {
    const char* const value = std::getenv(switch_name);
    if (value == nullptr) return false;
    return std::ranges::any_of(std::initializer_list<const char*>{"1", "true", "yes", "y"},
                               [&](const char* word) { return strcasecmp(value, word) == 0; });
}

std::string reserve(int file) {
    // Keeps the size, which Mesa sets, and the contents; allocates the holes.
    if (::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, index_bytes) == 0) return {};
    const int error = errno;
    struct statvfs system {};
    if (error == EOPNOTSUPP && ::fstatvfs(file, &system) == 0 &&
        std::uint64_t{system.f_bavail} * system.f_frsize >= min_free_bytes)
        return {};
    return std::generic_category().message(error == EOPNOTSUPP ? ENOSPC : error);
}

}  // namespace

std::string reserve_cache_index(const fs::path& folder) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    if (limit.rlim_cur < rlim_t{index_bytes})
        return fmt::format("files may be at most {} (ulimit -f)", format_byte_text(limit.rlim_cur));
    std::error_code error;
    fs::create_directories(folder, error);
    const int file = ::open((folder / "index").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (file < 0) return std::generic_category().message(errno);
    std::string reserve_error = reserve(file);
    ::close(file);
    return reserve_error;
}

const DriverCache& guard_driver_cache() {
    static const DriverCache cache = [] {
        DriverCache found{.folder = cache_folder(), .is_enabled = !is_switched_off(), .disabled_reason = {}};
        if (!found.is_enabled) return found;
        found.disabled_reason = reserve_cache_index(found.folder);
        found.is_enabled = found.disabled_reason.empty();
        if (!found.is_enabled) ::setenv(switch_name, "true", 1);
        return found;
    }();
    return cache;
}

}  // namespace gridstride::gpu
