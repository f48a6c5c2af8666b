// A cache of pipelines: changing one control compiles one pipeline, and going back compiles none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/kernel.h"
#include "launch/plan.h"
#include "launch/slices.h"
#include "shader/kernel_interface.h"

namespace gridstride::lab {

/// Words of the lab's own push constants: see shaders/common/launch.glsl.
inline constexpr std::size_t launch_words = 12;
using LaunchWords = std::array<std::uint32_t, launch_words>;
/// Returns the words for one slice of a launch.
LaunchWords make_launch_words(const Extent& domain, const Extent& grid, const Slice& slice, bool last);
/// Returns the words for a launch over `elements` in one slice.
LaunchWords make_launch_words(std::uint32_t elements, std::uint32_t workgroups);

/// Returns the specialization constants by id: the workgroup's x, y and z, then the launch's own.
std::vector<std::uint32_t> get_constants(const Dispatch& dispatch);
/// Returns the bytes of a launch's push constants, including the lab's own.
std::uint32_t get_push_bytes(const Dispatch& dispatch);

class KernelCache {
 public:
    explicit KernelCache(gpu::Device device) : device_(std::move(device)) {}

    const gpu::Device& device() const { return device_; }

    struct Entry {
        gpu::Kernel kernel;
        std::uint64_t shared_bytes = 0;  ///< workgroup memory of a workgroup
        bool is_warm = false;            ///< dispatched before: drivers compile at the first dispatch
        double compile_ns = 0;           ///< known once warm
    };
    /// Returns the pipeline, compiling it if necessary. Throws std::runtime_error if the kernel does not
    /// exist or cannot be built; if the driver refuses it without a reason, the message has the probable
    /// cause.
    std::shared_ptr<Entry> get(const Dispatch& dispatch);
    /// Returns the interface that the launch's kernel declares. Valid until put() or erase() of the kernel.
    /// Throws as get().
    const shader::KernelInterface& interface(const Dispatch& dispatch);

    /// Adds a kernel that does not ship, under this name. title: its name in messages. The caller must have
    /// validated it.
    void put(const std::string& kernel, std::vector<std::uint32_t> spirv, const std::string& title);
    void erase(const std::string& kernel);

 private:
    gpu::Device device_;
    struct Module {
        std::vector<std::uint32_t> spirv;
        std::string title;
        std::optional<shader::KernelInterface> interface = {};  ///< set by interface()
    };
    Module& module(const Dispatch& dispatch);
    std::map<std::string, Module> modules_;  ///< by kernel name
    std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace gridstride::lab
