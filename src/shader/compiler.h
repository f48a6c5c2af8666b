// GLSL compute shaders to SPIR-V, in memory: glslang, then spirv-val. Used at build time for the kernels that
// ship and at run time for the ones that people edit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace gridstride::shader {

/// A `#define NAME VALUE` put before the source.
using Defines = std::vector<std::pair<std::string, std::string>>;

struct CompileResult {
    std::vector<std::uint32_t> spirv;  ///< empty when there was an error
    std::vector<Diagnostic> diagnostics;
    std::vector<std::string> includes;  ///< every file that an #include read, absolute
    std::uint64_t digest = 0;           ///< code_digest(), where a job asks for it
    bool ok() const { return !spirv.empty(); }
    /// All diagnostics, a line each, as compilers write them and editors read them: "file:line: error: text".
    std::string text() const;
};

/// Compiles for Vulkan 1.1, SPIR-V 1.3, with debug line information, and validates. Includes resolve inside
/// include_roots and nowhere else: beside the including file, then below each root in turn. The source counts
/// as the file `name` below the first root. Never throws on bad source, but for std::bad_alloc.
/// appended: more of it, a source of its own; then functions stay that nobody calls.
CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::vector<std::filesystem::path>& include_roots,
                      std::string_view appended = {});

/// spirv-val for Vulkan 1.1. Empty when valid, else its message.
std::string validate(const std::vector<std::uint32_t>& spirv);

/// The same module with every index of an array, vector or matrix clamped to it: one beyond the end reaches
/// the last element, a negative one the first. Kernels that people write go beyond their arrays; in workgroup
/// memory that ends the process on a software driver, whatever robustness features are on. Valid SPIR-V in
/// and out. Throws std::runtime_error when the module uses what cannot be clamped (variable pointers). Run it
/// where a crash does no harm: spirv-opt trusts its input.
std::vector<std::uint32_t> clamp_indices(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
