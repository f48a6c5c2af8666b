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

#include "base/diagnostic.h"

namespace gridstride::shader {

/// A `#define NAME VALUE` put before the source.
using Defines = std::vector<std::pair<std::string, std::string>>;

struct CompileResult {
    std::vector<std::uint32_t> spirv;  ///< empty when there was an error
    std::vector<Diagnostic> diagnostics;
    std::vector<std::string> includes;  ///< every file that an #include read, absolute
    bool out_of_memory = false;         ///< the compiler met the limit of its process
    bool ok() const { return !spirv.empty(); }
    std::string text() const;  ///< all diagnostics, a line each: see line_of()
};

/// "file:line: error: text", as compilers write it and editors read it.
std::string line_of(const Diagnostic& diagnostic);

/// Compiles for Vulkan 1.1, SPIR-V 1.3, with debug line information, and validates. Includes resolve inside
/// include_roots and nowhere else: beside the including file, then below each root in turn. The source counts
/// as the file `name` below the first root. Never throws on bad source.
CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::vector<std::filesystem::path>& include_roots);
CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::filesystem::path& include_root);

/// spirv-val for Vulkan 1.1. Empty when valid, else its message.
std::string validate(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
