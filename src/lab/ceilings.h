// What the device can do at best: the yardstick beside every bandwidth.
#pragma once

#include <filesystem>
#include <optional>

#include "gpu/device.h"
#include "lesson/limits.h"

namespace gridstride::lab {

struct Ceilings {
    /// Device to device, bytes read plus bytes written. The better of vkCmdCopyBuffer, which some drivers
    /// hand to a slower engine, and a copying kernel (shaders/ceilings/copy.comp).
    double copy_bytes_per_second = 0;
};

/// Measures on the device: the best of several copies much larger than a cache, some tenths of a second.
Ceilings measure_ceilings(gpu::Device& device);

/// The ceilings of this device and driver from the cache file; nullopt when they were never measured there,
/// or the file is damaged.
std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file);
/// Failing to write is no error: they are measured again next time.
void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file);

}  // namespace gridstride::lab
