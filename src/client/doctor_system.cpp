// Checks of the system resources that the program needs besides a device.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/shared_memory.h"
#include "base/text.h"
#include "base/units.h"
#include "client/doctor.h"
#include "gpu/driver_cache.h"

namespace gridstride::lab {

namespace {

namespace fs = std::filesystem;

constexpr rlim_t min_open_files = 256;
/// Drivers reserve far more address space than they use.
constexpr rlim_t min_address_space = rlim_t{8} << 30;
constexpr std::uint64_t min_free_memory = std::uint64_t{1} << 30;

Check check_shared_memory() {
    constexpr std::size_t bytes = 1 << 20;
    try {
        const SharedMemory sent(bytes);
        std::fill(sent.mapped().begin(), sent.mapped().end(), std::byte{0x5A});
        const SharedMemory received = SharedMemory::adopt(dup(sent.descriptor()), bytes);
        const auto received_bytes = received.mapped();
        if (!std::all_of(received_bytes.begin(), received_bytes.end(),
                         [](std::byte b) { return b == std::byte{0x5A}; }))
            throw std::runtime_error("the data read differ from the data written");
        return make_check("shared_memory", "Shared memory", "an array is transferred unchanged");
    } catch (const std::exception& error) {
        return {"shared_memory", "Shared memory", CheckStatus::problem, error.what(),
                "The lab shares its arrays through memfd_create(2). Run Gridstride outside the sandbox that "
                "forbids it, or with more memory."};
    }
}

Check check_data() {
    const fs::path& data = data_directory();
    std::error_code error;
    for (const char* part : {"kernels", "shaders", "lessons"}) {
        if (fs::is_directory(data / part, error)) continue;
        return {"data", "Data", CheckStatus::problem,
                fmt::format("{} is missing", printable((data / part).native())),
                "The program expects its data beside itself, in ../share/gridstride. Reinstall it with cmake "
                "--install, and move only the whole folder."};
    }
    return make_check("data", "Data", data.string());
}

/// Writes and removes a file in the folder, and any folders created for it.
Check check_folder(const char* id, const char* title, const fs::path& folder, const char* variable,
                   const char* consequence) {
    std::vector<fs::path> created;
    std::error_code error, ignored;
    for (fs::path part = folder; !part.empty() && !fs::exists(part, ignored); part = part.parent_path()) {
        created.push_back(part);
        if (part == part.parent_path()) break;
    }
    std::string problem;
    try {
        fs::create_directories(folder, error);
        const fs::path file = folder / fmt::format("doctor-{}.tmp", getpid());
        if (error)
            problem = fmt::format("{} cannot be written: {}", printable(folder.native()), error.message());
        else
            write_file(file, "can be written\n");
        fs::remove(file, ignored);
    } catch (const std::exception& failure) {
        problem = failure.what();
    }
    // The innermost folder comes first; remove() keeps non-empty folders.
    for (const fs::path& part : created)
        fs::remove(part, ignored);
    return make_check(id, title, problem.empty() ? folder.string() : problem, problem.empty(),
                      fmt::format("{} Set {} to a folder that you can write to.", consequence, variable));
}

Check check_driver_cache() {
    const gpu::DriverCache& cache = gpu::guard_driver_cache();
    const std::string off =
        cache.disabled_reason.empty()
            ? "off, because MESA_SHADER_CACHE_DISABLE is set"
            : fmt::format("off, {} cannot be used: {}", cache.folder.string(), cache.disabled_reason);
    return make_check("driver_cache", "Driver's cache", cache.is_enabled ? cache.folder.string() : off,
                      cache.is_enabled || cache.disabled_reason.empty(),
                      "Mesa's drivers recompile the kernels at each start. Free some space there, or set "
                      "XDG_CACHE_HOME to a folder with some MiB to spare.");
}

rlim_t soft_limit(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    getrlimit(resource, &limit);
    return limit.rlim_cur;
}

std::string limit_text(rlim_t limit, std::string (*text)(std::uint64_t)) {
    return limit == RLIM_INFINITY ? "no limit" : text(limit);
}

/// Returns MemAvailable of /proc/meminfo in bytes, or 0 if unknown.
std::uint64_t available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        std::uint64_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) return kib << 10;
    }
    return 0;
}

}  // namespace

std::vector<Check> check_system() {
    const rlim_t files = soft_limit(RLIMIT_NOFILE), addresses = soft_limit(RLIMIT_AS);
    const std::uint64_t memory = available_memory();
    return {
        check_data(),
        check_folder("config_folder", "Settings folder", config_directory(), "XDG_CONFIG_HOME",
                     "Settings and predictions are not saved."),
        check_folder("cache_folder", "Cache folder", cache_directory(), "XDG_CACHE_HOME",
                     "The ceilings of the device are measured at every start."),
        check_driver_cache(),
        check_folder("state_folder", "State folder", state_directory(), "XDG_STATE_HOME",
                     "Progress and sessions are not saved."),
        check_shared_memory(),
        make_check("open_files", "Open files", "up to " + limit_text(files, format_count),
                   files >= min_open_files,
                   fmt::format("Drivers and shared memory may need more. Raise the limit: ulimit -n {}.",
                               4 * min_open_files)),
        make_check("address_space", "Address space", limit_text(addresses, format_byte_text),
                   addresses >= min_address_space,
                   fmt::format("Drivers reserve more address space than they use, about {}. Raise the limit: "
                               "ulimit -v unlimited.",
                               format_byte_text(min_address_space))),
        make_check(
            "memory", "Memory", memory == 0 ? "unknown" : format_byte_text(memory) + " available",
            memory == 0 || memory >= min_free_memory,
            fmt::format(
                "Runs of many millions of elements need more than {}. Close other programs, or stay below.",
                format_byte_text(min_free_memory)))};
}

}  // namespace gridstride::lab
