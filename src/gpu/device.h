// A Vulkan device for compute. Vulkan-Hpp RAII stays inside the .cpp files of gpu/: vulkan_raii.hpp costs
// seconds of compile time in every file that includes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/limits.h"

namespace gridstride::gpu {

/// The properties of this machine's Vulkan loader, available before any device is enumerated.
struct LoaderInfo {
    std::string version;             ///< "1.3.239"; empty if the loader does not report it
    bool validation_layer = false;   ///< VK_LAYER_KHRONOS_validation is installed
    std::string validation_version;  ///< the Vulkan version that the layer was built for, "1.3.239"
};
/// Reads the properties without an instance or a driver. Throws only std::bad_alloc.
LoaderInfo get_loader_info();

/// Returns the size of the processor's largest data or unified cache, which limits a software device, in
/// bytes. `folder` is Linux's sysfs folder of one CPU's caches (index0, index1, …, each with "type" and
/// "size"). Returns 0 if there is none to read.
std::uint64_t processor_cache_bytes(const std::filesystem::path& folder);

struct DeviceInfo {
    std::size_t index = 0;
    Limits limits;
    std::string api_version;  ///< "1.3.230"
    bool is_usable = true;    ///< has a compute queue and supports Vulkan 1.1
};

/// Returns the devices of this machine, hardware first, software last. Throws NoDevice with advice if the
/// loader is missing or no driver finds a device.
std::vector<DeviceInfo> list_devices();

/// Returns the index into `devices` of the device that matches `selector`: an index, or a part of a name in
/// any case. An empty `selector` selects the first usable device. Throws NoDevice, which lists the devices.
std::size_t find_device(const std::vector<DeviceInfo>& devices, std::string_view selector);

/// Enables the validation layers (core and synchronisation) for all devices and instances created later, like
/// GRIDSTRIDE_VALIDATION=1 in the environment. Messages are logged as errors and collected.
void enable_validation();
bool is_validation_enabled();
/// Returns the messages since the last call and clears them. Thread-safe.
std::vector<std::string> take_validation_messages();

struct DeviceCore;

/// A handle: copies refer to the same device. It is closed with the last copy and the last object created
/// from it.
class Device {
 public:
    /// Opens the device that find_device() returns for `selector`. Throws NoDevice.
    explicit Device(std::string_view selector = {});
    /// Opens the same hardware a second time with robustBufferAccess, for untrusted kernels: what they access
    /// beyond their bound ranges reaches no other buffer. Measured kernels pay for no such checks.
    /// VK_EXT_pipeline_robustness, which makes single pipelines robust, would avoid the second device; but on
    /// a device opened with it, an H200's driver slows pipelines that are not robust by 3 to 4 % (reduction
    /// and gaussian at 2^26 elements). Throws NoDevice.
    Device open_robust() const;

    const Limits& limits() const;
    bool is_robust() const;
    /// Returns true once a submission has passed its deadline and still runs. The device cannot be used any
    /// more, and only the end of the process ends the submission.
    bool is_hung() const;

    bool operator==(const Device&) const = default;  ///< the same opened device

    const std::shared_ptr<DeviceCore>& core() const { return core_; }

 private:
    std::shared_ptr<DeviceCore> core_;
};

}  // namespace gridstride::gpu
