// The system's part of the doctor: what the program needs of it beside a device.
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
#include "base/units.h"
#include "client/doctor.h"
#include "gpu/driver_cache.h"

namespace gridstride::lab {

namespace {

namespace fs = std::filesystem;

constexpr rlim_t enough_files = 256;
/// Drivers reserve far more addresses than they use.
constexpr rlim_t enough_addresses = rlim_t{8} << 30;
constexpr std::uint64_t enough_free_memory = std::uint64_t{1} << 30;

std::string bytes_text(std::uint64_t bytes) {
    return format_bytes(static_cast<double>(bytes)).text();
}

Check check_shared_memory() {
    constexpr std::size_t bytes = 1 << 20;
    Check check{"shared_memory", "Shared memory"};
    try {
        const SharedMemory sent(bytes);
        std::fill(sent.mapped().begin(), sent.mapped().end(), std::byte{0x5A});
        const SharedMemory received = SharedMemory::adopt(dup(sent.descriptor()), bytes);
        const auto arrived = received.mapped();
        if (!std::all_of(arrived.begin(), arrived.end(), [](std::byte b) { return b == std::byte{0x5A}; }))
            throw std::runtime_error("what was written is not what was read");
        check.value = "an array goes round unchanged";
    } catch (const std::exception& error) {
        check.status = CheckStatus::problem;
        check.value = error.what();
        check.advice =
            "The lab hands its arrays over through memfd_create(2). Run Gridstride outside the sandbox that "
            "forbids it, or with more memory.";
    }
    return check;
}

Check check_data() {
    const fs::path& data = data_directory();
    std::error_code error;
    for (const char* part : {"kernels", "shaders", "lessons"}) {
        if (fs::is_directory(data / part, error)) continue;
        return {"data", "Data", CheckStatus::problem, fmt::format("there is no {}", (data / part).string()),
                "The program looks for its data beside itself, in ../share/gridstride. Install it anew, with "
                "cmake --install, and move the folder as a whole."};
    }
    return {"data", "Data", CheckStatus::ok, data.string(), ""};
}

/// Writes a file there and takes it away again, and the folders that had to be made for it.
void try_to_write(const fs::path& folder) {
    std::vector<fs::path> made;
    std::error_code error;
    for (fs::path part = folder; !part.empty() && !fs::exists(part, error); part = part.parent_path()) {
        made.push_back(part);
        if (part == part.parent_path()) break;
    }
    const auto clean = [&made] {
        std::error_code ignored;
        for (const fs::path& part : made)
            fs::remove(part, ignored);  // the innermost first; one that holds something stays
    };
    try {
        fs::create_directories(folder);
        const fs::path file = folder / fmt::format("doctor-{}.tmp", getpid());
        write_file(file, "can be written\n");
        fs::remove(file, error);
    } catch (...) {
        clean();
        throw;
    }
    clean();
}

Check check_folder(const char* id, const char* title, const fs::path& folder, const char* variable,
                   const char* what_is_lost) {
    try {
        try_to_write(folder);
        return {id, title, CheckStatus::ok, folder.string(), ""};
    } catch (const fs::filesystem_error& error) {
        return {id, title, CheckStatus::warning,
                fmt::format("{} cannot be written: {}", folder.string(), error.code().message()),
                fmt::format("{} Set {} to a folder of yours.", what_is_lost, variable)};
    } catch (const std::exception& error) {
        return {id, title, CheckStatus::warning, error.what(),
                fmt::format("{} Set {} to a folder of yours.", what_is_lost, variable)};
    }
}

Check check_driver_cache() {
    const gpu::DriverCache& cache = gpu::guard_driver_cache();
    Check check{"driver_cache", "Driver's cache"};
    check.value = cache.folder.string();
    if (cache.on) return check;
    check.value = "off, as MESA_SHADER_CACHE_DISABLE asks";
    if (cache.why_off.empty()) return check;
    check.status = CheckStatus::warning;
    check.value = fmt::format("off, {} cannot be used: {}", cache.folder.string(), cache.why_off);
    check.advice =
        "Mesa's drivers compile the kernels anew at each start. Make room there, or set XDG_CACHE_HOME to a "
        "folder with some MiB to spare.";
    return check;
}

std::string limit_text(rlim_t limit, const std::function<std::string(std::uint64_t)>& text) {
    return limit == RLIM_INFINITY ? "no limit" : text(limit);
}

Check check_open_files() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    Check check{"open_files", "Open files"};
    check.value = "up to " + limit_text(limit.rlim_cur, format_count);
    if (limit.rlim_cur < enough_files) {
        check.status = CheckStatus::warning;
        check.advice =
            fmt::format("Drivers and shared memory may need more. Raise it: ulimit -n {}.", 4 * enough_files);
    }
    return check;
}

Check check_addresses() {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    Check check{"address_space", "Address space"};
    check.value = limit_text(limit.rlim_cur, bytes_text);
    if (limit.rlim_cur < enough_addresses) {
        check.status = CheckStatus::warning;
        check.advice = fmt::format(
            "Drivers reserve more addresses than they use, {} or so. Raise it: ulimit -v unlimited.",
            bytes_text(enough_addresses));
    }
    return check;
}

/// MemAvailable of /proc/meminfo; 0 when it is not told.
std::uint64_t available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        std::uint64_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) return kib << 10;
    }
    return 0;
}

Check check_memory() {
    const std::uint64_t available = available_memory();
    Check check{"memory", "Memory"};
    if (available == 0) {
        check.value = "the system does not tell";
        return check;
    }
    check.value = bytes_text(available) + " available";
    if (available < enough_free_memory) {
        check.status = CheckStatus::warning;
        check.advice = fmt::format(
            "Runs of many millions of elements need more than {}. Close other programs, or stay below.",
            bytes_text(enough_free_memory));
    }
    return check;
}

}  // namespace

std::vector<Check> check_system() {
    return {check_data(),
            check_folder("config_folder", "Settings folder", config_directory(), "XDG_CONFIG_HOME",
                         "Settings and predictions are not remembered."),
            check_folder("cache_folder", "Cache folder", cache_directory(), "XDG_CACHE_HOME",
                         "The ceilings of the device are measured at every start."),
            check_driver_cache(),
            check_folder("state_folder", "State folder", state_directory(), "XDG_STATE_HOME",
                         "What is kept between sessions is lost."),
            check_shared_memory(),
            check_open_files(),
            check_addresses(),
            check_memory()};
}

}  // namespace gridstride::lab
