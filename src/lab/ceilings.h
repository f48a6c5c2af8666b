// What the device can do at best: the yardstick beside every rate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "gpu/device.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// What transfers are measured with, where the device has as much memory. Fewer may come from a cache.
inline constexpr std::uint64_t transfer_bytes = std::uint64_t{64} << 20;

/// Where they are kept, of each device and driver.
std::filesystem::path ceilings_file();

/// The ceilings of this device and driver from the file; nullopt when they were never measured there, not all
/// of them were, or the file is damaged: then it is set aside.
std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file);
/// Failing to write is no error: they are measured again next time.
void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file);

/// Measures on the device, now, and keeps it in the file: the best of several rounds over memory much larger
/// than a cache. Takes a second or a little more.
Ceilings measure_ceilings(gpu::Device& device, const std::filesystem::path& file);

}  // namespace gridstride::lab
