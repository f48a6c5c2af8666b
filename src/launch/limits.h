// The limits and properties of a device as plain values: filled in by gpu/, read by lessons, lab and window.
#pragma once

#include <cstdint>
#include <string>

#include "launch/extent.h"

namespace gridstride {

struct Limits {
    std::string device_name;     ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
    std::string driver_version;  ///< "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)"
    bool is_cpu = true;          ///< a software driver: its times show trends only

    std::uint32_t max_workgroup_size = 1024;     ///< invocations: min of ...Size[0] and ...Invocations
    Extent max_workgroup{1024, 1024, 64};        ///< invocations along each dimension
    Extent max_grid{65535, 65535, 65535};        ///< workgroups of one dispatch along each dimension
    std::uint32_t max_bindings = 16;             ///< storage buffers of a kernel
    std::uint64_t max_shared_bytes = 32768;      ///< workgroup memory, maxComputeSharedMemorySize
    std::uint64_t max_binding_bytes = 1u << 27;  ///< maxStorageBufferRange
    std::uint64_t binding_alignment = 256;       ///< minStorageBufferOffsetAlignment, bytes
    std::uint64_t memory_bytes = 1u << 31;       ///< the largest device-local heap
    std::uint32_t subgroup_size = 32;            ///< invocations
    // Subgroup operations in compute shaders.
    bool subgroup_vote = false;
    bool subgroup_arithmetic = false;
    bool subgroup_ballot = false;
    bool subgroup_shuffle = false;
    bool subgroup_shuffle_relative = false;
    bool subgroup_clustered = false;
    bool subgroup_quad = false;
    bool float64 = false;
    bool storage16 = false;           ///< 16-bit integers in storage buffers, and arithmetic on them
    bool float16 = false;             ///< arithmetic on 16-bit floats
    bool float32_atomic_add = false;  ///< on storage buffers
    /// VK_KHR_shader_integer_dot_product: the dot product of four bytes with four bytes as one instruction.
    /// The second member: the device reports that for signed bytes it is faster than the separate operations.
    bool integer_dot = false;
    bool integer_dot_accelerated = false;
    /// Subgroups multiply matrices of 16 x 16 f16 and add up in f32 or f16, by the extension that this
    /// build's kernels use (shader/cooperative_matrix.h).
    bool cooperative_matrix = false;
    /// By the same extension they multiply 16 x 32 with 32 x 16 signed bytes, and add up in i32.
    bool byte_matrices = false;
    /// Kernels on the robust device can read the index of their multiprocessor (VK_NV_shader_sm_builtins) and
    /// a clock that all multiprocessors share (VK_KHR_shader_clock).
    bool multiprocessor_and_clock = false;
    std::uint32_t multiprocessors = 0;               ///< 0: the driver does not report it
    std::uint32_t subgroups_per_multiprocessor = 0;  ///< resident at once; 0: the driver does not report it
    /// Vulkan does not report these three; they are the vendor's documented figures. 0: unknown.
    std::uint32_t registers_per_multiprocessor = 0;   ///< 32-bit registers
    std::uint32_t workgroups_per_multiprocessor = 0;  ///< resident, the vendor's maximum
    std::uint32_t shared_banks = 0;                   ///< banks of workgroup memory, 4 bytes wide

    /// Size of the last-level cache. Vulkan does not report it: for a software device Linux does, for others
    /// it is assumed.
    std::uint64_t cache_bytes = 0;
    bool is_cache_assumed = true;

    /// Loop iterations after which the driver silently ends an invocation's loops, counted over all its loops
    /// (Mesa's llvmpipe: 65 535). 0: no known limit.
    std::uint64_t loop_iterations = 0;
    double timestamp_period_ns = 1;
    std::uint32_t timestamp_valid_bits = 0;  ///< 0: no timestamps; times come from the host's clock
};

}  // namespace gridstride
