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

namespace gridstride::shader {

enum class DiagnosticLevel { warning, error };

struct Diagnostic {
    DiagnosticLevel level = DiagnosticLevel::error;
    std::string file;        ///< the file it stands in: the source's name or an include's
    std::uint32_t line = 0;  ///< from 1; 0 when the compiler names none
    std::string text;        ///< the compiler's own words
};

/// A `#define NAME VALUE` put before the source.
using Defines = std::vector<std::pair<std::string, std::string>>;

struct CompileResult {
    std::vector<std::uint32_t> spirv;  ///< empty when there was an error
    std::vector<Diagnostic> diagnostics;
    bool ok() const { return !spirv.empty(); }
    std::string text() const;  ///< all diagnostics, "file:line: error: text" a line
};

/// Compiles for Vulkan 1.1, SPIR-V 1.3, with debug line information, and validates. Includes resolve inside
/// include_root and nowhere else. Never throws on bad source.
CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::filesystem::path& include_root);

/// spirv-val for Vulkan 1.1. Empty when valid, else its message.
std::string validate(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
