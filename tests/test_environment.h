// The settings that tests read from the environment, with defaults for tests that are started by hand.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace gridstride {

/// Nothing takes this long on the slowest machine, so a wait that reaches this limit has failed. Tests check
/// only that something ends, or which of two things came first, and no other times.
inline constexpr std::chrono::milliseconds patience = std::chrono::minutes(5);
/// The deadline of a run that something else must end first.
inline constexpr double never_seconds = 3600;

/// Whether to run all cases (./check --full) or a sample of them (./check).
inline bool full() {
    const char* const value = std::getenv("GRIDSTRIDE_FULL");
    return value && *value != '\0' && std::string_view(value) != "0";
}
/// The number of cases to try: `all` with --full, otherwise `some`.
inline int sample_of(int all, int some) {
    return full() ? all : some;
}

/// Tests of millions of numbers run only in the build without sanitizers, and with --full in both. The
/// sanitizers make the host's part five times as slow, and other tests run the same code with few numbers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#define GRIDSTRIDE_ONCE() \
    if (::gridstride::is_sanitized && !::gridstride::full()) GTEST_SKIP() << "once: without the sanitizers"

/// The number of runs on the device to try: fewer with sanitizers, which do not check kernels.
inline int sample_of_runs(int all, int some) {
    return sample_of(all, is_sanitized ? (some + 3) / 4 : some);
}

/// The path of gridstride, by default in the folder of the test programs.
inline std::filesystem::path program() {
    namespace fs = std::filesystem;
    const char* const named = std::getenv("GRIDSTRIDE");
    fs::path found =
        named ? fs::path(named) : fs::read_symlink("/proc/self/exe").parent_path() / "gridstride";
    if (!fs::exists(found))
        throw std::runtime_error(
            "This test starts gridstride, and there is no " + found.string() +
            ". Build it (ninja gridstride), or name it: GRIDSTRIDE=/path/to/gridstride.");
    return found;
}

}  // namespace gridstride
