// The kernels that ship. A shader says in comment lines which builds it has:
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
/// The builds that a source declares, at least one. Throws std::runtime_error on a malformed line.
std::vector<Build> builds_of(std::string_view source);

/// "reduction/tree_sequential.u32" -> {"reduction/tree_sequential.comp", "u32"}.
struct KernelName {
    std::string file;
    std::string build;
};
KernelName parse_kernel_name(const std::string& kernel);

/// Compiles every *.comp below source_root into output_root, as <kernel>.spv. Prints diagnostics on stderr.
/// False if any failed; then that kernel's file is not written.
bool compile_all(const std::filesystem::path& source_root, const std::filesystem::path& output_root);

/// The SPIR-V of a kernel that ships, from data_directory()/kernels. Throws std::runtime_error when there is
/// none.
std::vector<std::uint32_t> load_kernel(const std::string& kernel);

}  // namespace gridstride::shader
