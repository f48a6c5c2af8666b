// Compiles and loads the shipped kernels. A shader declares its builds in comment lines:
//
//     // [build u32] ELEMENT=uint
//     // [build f32] ELEMENT=float IS_FLOAT=1
//
// "reduction/tree_sequential.u32" names the build u32 of shaders/reduction/tree_sequential.comp; a shader
// without such lines has one build and its name has no suffix.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "shader/compiler.h"

namespace gridstride::shader {

struct Build {
    std::string name;  ///< "u32"; empty for a shader without build lines
    Defines defines;
};
/// Returns the builds that a source declares, at least one. Throws std::runtime_error on a malformed line.
std::vector<Build> parse_builds(std::string_view source);

/// A kernel's file and build: "reduction/tree_sequential.u32" is {"reduction/tree_sequential.comp", "u32"}.
struct KernelName {
    std::string file;
    std::string build;
};
KernelName parse_kernel_name(const std::string& kernel);

/// Compiles every *.comp below source_root to output_root/<kernel>.spv and prints diagnostics on stderr.
/// Returns false if any kernel failed; the file of such a kernel is not written.
bool compile_all(const std::filesystem::path& source_root, const std::filesystem::path& output_root);

/// Returns the SPIR-V of a shipped kernel, from data_directory()/kernels. Throws std::runtime_error if there
/// is none.
std::vector<std::uint32_t> load_kernel(const std::string& kernel);

}  // namespace gridstride::shader
