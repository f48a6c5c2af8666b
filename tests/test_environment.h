// What the tests are told by whoever starts them, and what they take when they are started by hand.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace gridstride {

/// Longer than anything takes on the slowest machine: a wait that reaches it has waited in vain. No test says
/// more about time than that something comes to its end, or which of two things came first.
inline constexpr std::chrono::milliseconds patience = std::chrono::minutes(5);
/// Of what must have been ended by something else before.
inline constexpr double never_seconds = 3600;

/// ./check --full: all of what ./check takes samples of.
inline bool full() {
    const char* const value = std::getenv("GRIDSTRIDE_FULL");
    return value && *value != '\0' && std::string_view(value) != "0";
}
/// How many to try.
inline int sample_of(int all, int some) {
    return full() ? all : some;
}

/// For a test of millions of numbers: under the sanitizers the same lines run with few of them in other
/// tests, and the host's part takes five times as long. Runs in the build without them, and with --full in
/// both.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#define GRIDSTRIDE_ONCE() \
    if (::gridstride::is_sanitized && !::gridstride::full()) GTEST_SKIP() << "once: without the sanitizers"

/// How many to try of what a device computes: fewer under the sanitizers, which do not look at its kernels.
inline int sample_of_runs(int all, int some) {
    return sample_of(all, is_sanitized ? (some + 3) / 4 : some);
}

/// gridstride, which lies beside the test programs.
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
