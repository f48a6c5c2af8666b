// Detects whether two kernels are the same program, regardless of names and line breaks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::shader {

/// Returns a hash of the module without names, line numbers and unused code, with ids numbered in order of
/// occurrence, after spirv-opt's performance passes. Equal programs have equal hashes; programs that compute
/// the same in a different way may not. The module must be valid SPIR-V: spirv-opt trusts its input, so hash
/// a user's kernel only where a crash does no harm. Throws std::runtime_error if spirv-opt fails.
std::uint64_t code_digest(const std::vector<std::uint32_t>& spirv);

/// Returns the shipped kernels in this folder of shaders/ (a lesson's id) that have this digest in any of
/// their builds, such as "reduction/maximum.comp", in alphabetical order. The digests of a folder are cached.
std::vector<std::string> find_shipped_kernels(std::uint64_t digest, const std::string& folder);

}  // namespace gridstride::shader
