// Compiling in a process of its own. A person's source can make the compiler crash, or take half a minute and
// gigabytes: there it meets limits, and nobody else is harmed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shader/compiler.h"
#include "shader/record_accesses.h"

namespace gridstride::shader {

struct CompileJob {
    std::string source;
    std::string name;
    Defines defines;
    std::vector<std::string> include_roots;  ///< absolute
    bool wants_digest = false;               ///< see CompileResult::digest
};

struct CompileLimits {
    std::uint32_t cpu_seconds = 10;                       ///< processor time
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< address space; not under AddressSanitizer
    std::chrono::nanoseconds patience = std::chrono::minutes(1);  ///< wall clock
    std::function<bool()> stopped;  ///< asked every few milliseconds; may be empty
};

/// The first argument that makes this program a compiler: main() then returns serve_compile().
inline constexpr std::string_view compile_argument = "--compile-kernel";

/// Compiles in a new process of `program`, and clamps indices: see clamp_indices(). Never throws on bad
/// source: a compiler that crashed, or met a limit, is a diagnostic in words. Throws std::runtime_error when
/// there is no such process to be had.
CompileResult compile_apart(const CompileJob& job, const CompileLimits& limits = {},
                            const std::filesystem::path& program = "/proc/self/exe");

/// The same with recording in it: see record_accesses(). What cannot be recorded is a diagnostic, too.
RecordingKernel record_apart(const CompileJob& job, const RecordedLaunch& launch,
                             const CompileLimits& limits = {},
                             const std::filesystem::path& program = "/proc/self/exe");

/// The other side: a job on stdin, its result on stdout. Returns the exit code.
int serve_compile();

}  // namespace gridstride::shader
