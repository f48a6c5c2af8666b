// Reads what a compute module requires of the device and the launch from its SPIR-V, before a driver gets it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gridstride::shader {

/// A resource that the launch must bind.
struct BindingRequirement {
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    bool is_storage_buffer = false;  ///< else an image, a uniform buffer …
    bool array = false;              ///< an array of descriptors
    std::uint64_t bytes = 0;         ///< declared size, without a runtime array
    bool is_written = false;         ///< a function stores to it or changes it atomically
    std::string write_file;          ///< file of the first write to it; empty: the kernel's own
    std::uint32_t write_line = 0;    ///< line of that write; 0: unknown
};

struct KernelRequirements {
    bool has_compute_main = false;  ///< there is a compute entry point "main"
    std::array<std::uint64_t, 3> local_size{1, 1, 1};
    std::uint64_t shared_bytes = 0;   ///< workgroup memory of one workgroup
    std::uint64_t private_bytes = 0;  ///< variables of one invocation, summed over all functions
    std::uint64_t push_bytes = 0;     ///< push constants, from offset 0
    std::vector<BindingRequirement> bindings;
    std::vector<std::string> capabilities;   ///< by their SPIR-V names: "Float64"
    std::vector<std::string> extensions;     ///< "SPV_KHR_16bit_storage"
    bool loops = false;                      ///< it contains a loop
    bool uses_shared_float_atomics = false;  ///< adds floats atomically in workgroup memory
    /// Given specialisation constants whose size is not 4 bytes.
    std::vector<std::uint32_t> non_word_constants;
};

/// Inspects a module. constants[i] is the value of specialisation constant i; later ones keep their defaults.
/// Sizes saturate at the largest 64-bit number. Throws std::runtime_error if the words are not a module, or
/// if the length of an array cannot be computed.
KernelRequirements inspect(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants);

}  // namespace gridstride::shader
