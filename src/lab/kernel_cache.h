// Pipelines made so far, so that a change of one control compiles one pipeline and going back compiles none.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/kernel.h"
#include "lesson/plan.h"

namespace gridstride::lab {

/// What the lab's own part of the push constants takes: see shaders/common/launch.glsl.
inline constexpr std::size_t launch_words = 7;

class KernelCache {
 public:
    explicit KernelCache(gpu::Device& device) : device_(device) {}

    gpu::Device& device() const { return device_; }

    struct Entry {
        gpu::Kernel kernel;
        bool warm = false;      ///< has been dispatched: drivers compile at the first dispatch
        double compile_ns = 0;  ///< known once warm
    };
    /// Throws std::runtime_error when the kernel is not there or cannot be made.
    std::shared_ptr<Entry> get(const Dispatch& dispatch);

    /// A kernel that does not ship: get() finds it by this name until it is forgotten. The caller has
    /// validated it.
    void put(const std::string& kernel, std::vector<std::uint32_t> spirv);
    void forget(const std::string& kernel);

 private:
    gpu::Device& device_;
    std::map<std::string, std::vector<std::uint32_t>> spirv_;  ///< by kernel name
    std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace gridstride::lab
