// Compiles in a separate process with limits on time and memory, because a user's source can make the
// compiler crash or take half a minute and gigabytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shader/compile_instrumented.h"
#include "shader/compiler.h"

namespace gridstride::shader {

struct CompileJob {
    std::string source;
    std::string name;
    Defines defines;
    std::vector<std::string> include_roots;  ///< absolute
    bool wants_digest = false;               ///< see CompileResult::digest
    TextFiles files = {};
};

struct CompileLimits {
    std::uint32_t cpu_seconds = 10;                       ///< processor time
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< address space; not under AddressSanitizer
    std::chrono::nanoseconds timeout = std::chrono::minutes(1);  ///< wall clock
    std::function<bool()> is_cancelled;  ///< polled every few milliseconds; may be empty
};

/// If this is the program's first argument, main() returns serve_compile().
inline constexpr std::string_view compile_argument = "--compile-kernel";

/// Compiles in a new process of `program` and clamps indices, see clamp_indices(). Errors in the source, a
/// crash of the compiler and exceeded limits are reported as diagnostics. Throws std::runtime_error if the
/// process cannot be started.
CompileResult compile_isolated(const CompileJob& job, const CompileLimits& limits = {},
                               const std::filesystem::path& program = "/proc/self/exe");

/// Compiles several sources in one process, whose start takes longer than most kernels. If one of them
/// crashes the compiler or exceeds the limits, which count for all, each is compiled in a process of its own.
std::vector<CompileResult> compile_all_isolated(const std::vector<CompileJob>& jobs,
                                                const CompileLimits& limits = {},
                                                const std::filesystem::path& program = "/proc/self/exe");

/// Like compile_isolated(), but adds instrumentation, see compile_instrumented(). A kernel that cannot be
/// traced gets a diagnostic.
InstrumentedKernel compile_instrumented_isolated(const CompileJob& job, const InstrumentationOptions& launch,
                                                 const CompileLimits& limits = {},
                                                 const std::filesystem::path& program = "/proc/self/exe");

/// Runs the compiler process: reads a job from stdin and writes its result to stdout. Returns the exit code.
int serve_compile();

}  // namespace gridstride::shader
