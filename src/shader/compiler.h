// Compiles GLSL compute shaders to SPIR-V in memory, with glslang and spirv-val: shipped kernels at build
// time, and kernels that users edit at run time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text_files.h"

namespace gridstride::shader {

/// Each becomes a `#define NAME VALUE` before the source.
using Defines = std::vector<std::pair<std::string, std::string>>;

struct CompileResult {
    std::vector<std::uint32_t> spirv;  ///< empty if there was an error
    std::vector<Diagnostic> diagnostics;
    std::vector<std::string> includes;  ///< every file that an #include read: absolute, or in `files`
    std::uint64_t digest = 0;           ///< code_digest(), if CompileJob::wants_digest
    bool ok() const { return !spirv.empty(); }
    /// Returns all diagnostics, one per line, in the usual compiler format: "file:line: error: text".
    std::string text() const;
};

/// Compiles for Vulkan 1.1, SPIR-V 1.3, with debug line information, and validates the module. Includes
/// resolve beside the including file, then below each root in order, and never outside include_roots; then in
/// `files`. The source is treated as the file `name` below the first root. Errors in the source are
/// diagnostics; only std::bad_alloc is thrown. appended: a second source that is compiled after the first;
/// uncalled functions are then kept.
CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::vector<std::filesystem::path>& include_roots, const TextFiles& files = {},
                      std::string_view appended = {});

/// Validates with spirv-val for Vulkan 1.1. Returns its message; empty if the module is valid.
std::string validate(const std::vector<std::uint32_t>& spirv);

/// Adds bounds checks: returns the module with every index of an array, vector or matrix clamped to its
/// bounds: an index past the end accesses the last element, a negative one the first. An out-of-bounds access
/// to workgroup memory would crash the process on a software driver, whatever robustness features are
/// enabled. Input and output are valid SPIR-V. Throws std::runtime_error if the module uses variable
/// pointers, which cannot be clamped. A module that indexes the elements of cooperative matrices is returned
/// as it is. Call it where a crash does no harm: spirv-opt trusts its input.
std::vector<std::uint32_t> clamp_indices(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
