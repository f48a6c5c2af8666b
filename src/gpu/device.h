// A Vulkan device for compute. Vulkan-Hpp RAII stays inside the room's .cpp files: vulkan_raii.hpp costs
// seconds of compile time in every file that sees it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/limits.h"

namespace gridstride::gpu {

/// What the Vulkan loader of this machine offers before any device is looked for.
struct LoaderFacts {
    std::string version;             ///< of the loader, "1.3.239"; empty when it does not say
    bool validation_layer = false;   ///< VK_LAYER_KHRONOS_validation is installed
    std::string validation_version;  ///< the Vulkan version that the layer knows, "1.3.239"
};
/// Makes no instance and needs no driver. Throws nothing but std::bad_alloc.
LoaderFacts loader_facts();

/// Of the processor's largest data or unified cache, which a software device computes in, as Linux tells it
/// below this folder (index0, index1, … of sysfs, each with "type" and "size"); 0 when there is none to be
/// read.
std::uint64_t processor_cache_bytes(const std::filesystem::path& folder);

struct DeviceInfo {
    std::size_t index = 0;
    Limits limits;
    std::string api_version;  ///< "1.3.230"
    bool usable = true;       ///< has a queue that computes, and Vulkan 1.1
};

/// The devices of this machine, real ones first, software last. Throws NoDevice with advice when the loader
/// or every driver is missing.
std::vector<DeviceInfo> list_devices();

/// The index into list_devices() that a person means: an index, or a part of a name whatever the case; empty
/// takes the first usable. Throws NoDevice listing what there is.
std::size_t choose_device(const std::vector<DeviceInfo>& devices, std::string_view wanted);

/// Turns on the validation layers (core and synchronisation) for devices and instances made from now on, as
/// GRIDSTRIDE_VALIDATION=1 in the environment does. Messages are logged as errors and kept.
void enable_validation();
bool validation_enabled();
/// The messages since the last call, and forgets them. Thread-safe.
std::vector<std::string> take_validation_messages();

struct DeviceCore;

/// Copies are the same device. It is closed when they, and all that was made from it, are gone.
class Device {
 public:
    /// wanted as in choose_device(). Throws NoDevice.
    explicit Device(std::string_view wanted = {});
    /// The same hardware, opened once more for kernels that nobody vouches for: what they read and write
    /// beyond the ranges bound to them reaches no other buffer (robustBufferAccess). Kernels that are
    /// measured pay for no checks. VK_EXT_pipeline_robustness, which makes single pipelines robust, would
    /// need no second device; but where a device is opened with it, an H200's driver slows the pipelines that
    /// are not robust by 3 to 4 % (reduction and gaussian at 2^26 elements). Throws NoDevice.
    Device robust() const;

    const Limits& limits() const;
    bool is_robust() const;
    /// A submission passed its deadline and still runs: nothing more can be done with the device, and only
    /// the end of the process ends it.
    bool given_up() const;

    bool operator==(const Device&) const = default;  ///< the same device, opened once

    const std::shared_ptr<DeviceCore>& core() const { return core_; }

 private:
    std::shared_ptr<DeviceCore> core_;
};

}  // namespace gridstride::gpu
