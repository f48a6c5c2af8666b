// Whether two kernels are the same program, whatever their variables are called and however their lines are
// broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::shader {

/// A hash of what the module computes: without names, line numbers and unused code, its ids numbered in the
/// order in which they occur, optimised by spirv-opt's performance passes. Equal for equal programs; of
/// programs that compute the same in another way it may differ. Valid SPIR-V in; spirv-opt trusts its input,
/// so a person's own is to be hashed where a crash does no harm. Throws std::runtime_error when spirv-opt
/// fails.
std::uint64_t code_digest(const std::vector<std::uint32_t>& spirv);

/// The shipped kernels in this folder below shaders/ (a lesson's id), in any of their builds, that have this
/// digest: "reduction/maximum.comp", in alphabetical order. The folder's digests are computed once.
std::vector<std::string> shipped_kernels_with(std::uint64_t digest, const std::string& folder);

}  // namespace gridstride::shader
