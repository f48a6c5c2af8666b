// A compute pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device.h"

namespace gridstride::gpu {

/// The driver refused to build a pipeline. what() has the Vulkan call and the error code.
struct PipelineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A pipeline with storage buffers at bindings 0 … storage_buffers-1 of set 0 and push constants from offset
/// 0. constants[i] is specialisation constant i; the first three are the workgroup's x, y and z. The caller
/// must have validated the SPIR-V and checked the device's limits. The constructor throws PipelineError,
/// and std::runtime_error with the call and the reason if anything else fails.
class Kernel {
 public:
    Kernel(const Device& device, const std::vector<std::uint32_t>& spirv, const std::string& name,
           std::uint32_t storage_buffers, std::uint32_t push_bytes, std::span<const std::uint32_t> constants);

    /// Returns the 32-bit registers per invocation; 0 if the driver does not report them.
    std::uint32_t registers() const;

    struct Impl;
    const Impl& impl() const { return *impl_; }

 private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu
