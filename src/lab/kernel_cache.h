// Pipelines made so far, so that a change of one control compiles one pipeline and going back compiles none.
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

/// The lab's own part of the push constants: see shaders/common/launch.glsl.
inline constexpr std::size_t launch_words = 12;
using LaunchWords = std::array<std::uint32_t, launch_words>;
/// For one slice of a launch.
LaunchWords words_of(const Extent& domain, const Extent& grid, const Slice& slice, bool last);
/// For a launch over so many elements, in one slice.
LaunchWords words_of(std::uint32_t elements, std::uint32_t workgroups);

/// The specialisation constants of a launch's kernel, by their ids.
std::vector<std::uint32_t> constants_of(const Dispatch& dispatch);
/// Of its push constants, with the lab's own.
std::uint32_t push_bytes_of(const Dispatch& dispatch);

class KernelCache {
 public:
    explicit KernelCache(gpu::Device device) : device_(std::move(device)) {}

    const gpu::Device& device() const { return device_; }

    struct Entry {
        gpu::Kernel kernel;
        bool warm = false;      ///< has been dispatched: drivers compile at the first dispatch
        double compile_ns = 0;  ///< known once warm
    };
    /// Throws std::runtime_error when the kernel is not there or cannot be made; where the driver refuses it
    /// without a reason, with what is known.
    std::shared_ptr<Entry> get(const Dispatch& dispatch);
    /// What the launch's kernel declares; valid until the kernel is put again or forgotten. Throws as get().
    const shader::KernelInterface& interface(const Dispatch& dispatch);

    /// A kernel that does not ship: get() finds it by this name until it is forgotten. title: what messages
    /// call it. The caller has validated it.
    void put(const std::string& kernel, std::vector<std::uint32_t> spirv, const std::string& title);
    void forget(const std::string& kernel);

 private:
    gpu::Device device_;
    struct Module {
        std::vector<std::uint32_t> spirv;
        std::string title;
        std::optional<shader::KernelInterface> interface = {};  ///< once interface() was asked
    };
    Module& module(const Dispatch& dispatch);
    std::map<std::string, Module> modules_;  ///< by kernel name
    std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace gridstride::lab
