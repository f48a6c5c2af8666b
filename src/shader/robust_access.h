// Kernels that people write read and write beyond their arrays. In workgroup memory that ends the process on
// a software driver, whatever robustness features are on; so their indices are clamped before the driver sees
// them.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::shader {

/// The same module with every index of an array, vector or matrix clamped to it: one beyond the end reaches
/// the last element, a negative one the first. Valid SPIR-V in and out. Throws std::runtime_error when the
/// module uses what cannot be clamped (variable pointers). Run it where a crash does no harm: spirv-opt
/// trusts its input.
std::vector<std::uint32_t> clamp_indices(const std::vector<std::uint32_t>& spirv);

}  // namespace gridstride::shader
