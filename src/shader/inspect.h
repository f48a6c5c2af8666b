// What a compute module asks of the device and of the launch, read from its words before any driver sees it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gridstride::shader {

/// A resource that the launch must bind.
struct BindingNeed {
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    bool storage_buffer = false;   ///< else an image, a uniform buffer …
    bool array = false;            ///< of descriptors
    std::uint64_t bytes = 0;       ///< declared; a last array without a length counts none
    bool is_written = false;       ///< by a store or an atomic, in whatever function
    std::string written_in;        ///< the file of the module's first write to it; empty: the kernel's own
    std::uint32_t written_at = 0;  ///< its line; 0: not known
};

struct KernelNeeds {
    bool compute_main = false;  ///< there is a compute entry point "main"
    std::array<std::uint64_t, 3> local_size{1, 1, 1};
    std::uint64_t shared_bytes = 0;   ///< workgroup memory of one workgroup
    std::uint64_t private_bytes = 0;  ///< variables of one invocation, all functions counted once
    std::uint64_t push_bytes = 0;     ///< push constants, from offset 0
    std::vector<BindingNeed> bindings;
    std::vector<std::string> capabilities;  ///< by the names that SPIR-V gives them: "Float64"
    std::vector<std::string> extensions;    ///< "SPV_KHR_16bit_storage"
    bool loops = false;                     ///< there is a loop in it
    bool shared_float_atomics = false;      ///< adds floats atomically in workgroup memory
    std::vector<std::uint32_t>
        odd_constants;  ///< given specialisation constants of another size than 4 bytes
};

/// constants[i] is the value of specialisation constant i; those beyond keep their defaults. Sizes that are
/// too large for 64 bits are the largest number. Throws std::runtime_error on words that are no module, and
/// on an array whose length cannot be worked out.
KernelNeeds inspect(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants);

}  // namespace gridstride::shader
